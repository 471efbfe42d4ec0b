"""Fields that a YAML, JSON or TOML file states."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.facts import Document, Node
from medic.run_config import Origin, Scalar, Setting
from medic.text.patterns import regex

from ..carriers import Carrier
from ..keys import Framework, Key, Keys, Paths, parts_of
from ..values import Written, as_bool, canonical, leaves_default
from . import IN_BACKWARD

# ${a.b}: the value of another key of the same file, as OmegaConf and Hydra read it.
_REFERENCE = regex(r"\$\{([A-Za-z_][\w.]*)\}")
_MAX_REFERENCES = 5
_MAX_DEPTH = 8


def key_paths(root: Node | None) -> Paths:
    """Every key path of a file, of groups and of values, as they are compared."""
    return Paths(_paths(root, ()) if root is not None else ())


def _paths(node: Node, prefix: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for key, value in node.items:
        path = (*prefix, *parts_of([str(key.value if key.value is not None else key.raw)]))
        yield path
        yield from _paths(value, path)


def mentions(root: Node | None) -> frozenset[str]:
    """Words of the file that name other files: its JSON engine config, its model."""
    if root is None:
        return frozenset()
    texts = (n.value for _, _, n in root.leaves() if isinstance(n.value, str))
    return frozenset(text for text in texts if re.search(r"\.(?:json|ya?ml|toml)$", text))


def carriers(document: Document, keys: Keys) -> list[Carrier]:
    """Every place in the file that states a canonical field."""
    if document.root is None:
        return []
    found: list[Carrier] = []
    yaml_1_1 = _is_yaml_1_1(document, keys.framework)
    for path, key_node, node in document.root.leaves():
        for rank, key in keys.find(path):
            place, value_node = _resolve(document.root, path, node)
            written = _written(value_node, yaml_1_1=yaml_1_1)
            value = canonical(key, written, keys.framework.auto_words)
            if value is None and leaves_default(key, written):
                continue
            field = _field(key, value)
            origin = Origin(
                source="file",
                span=value_node.span,
                syntax=document.syntax,
                path=place,
                key=str(key_node.value) if place == path else place[-1],
                framework=keys.framework.name,
                factor=key.factor,
            )
            found.append(Carrier(field, value, origin, rank, key.true_means is not None))
    if _steps_in_backward(document.root, yaml_1_1=yaml_1_1):
        return [c for c in found if c.field != "gradient_clip"]
    return found


def settings(document: Document, framework: Framework) -> tuple[Setting, ...]:
    """Every key of the file that has a value; a list as its values, joined by spaces."""
    if document.root is None:
        return ()
    found = []
    yaml_1_1 = _is_yaml_1_1(document, framework)
    for path, key, node in document.root.leaves():
        place, value = _resolve(document.root, path, node)
        if value.kind != "mapping":
            own = key.span if value is node else None
            name = framework.name
            origin = Origin(
                "file", value.span, document.syntax, place, path[-1], name, key_span=own
            )
            single = _single(value, yaml_1_1=yaml_1_1)
            found.append(Setting(parts_of(path), single, origin))
    return tuple(found)


def listed(document: Document, framework: Framework) -> Iterator[Setting]:
    """The same of the blocks that are elements of lists: ``datasets: [{type: alpaca}]``."""
    if document.root is not None:
        yield from _in_lists(document.root, (), document, framework, 0)


def _in_lists(
    node: Node, above: tuple[str, ...], document: Document, framework: Framework, depth: int
) -> Iterator[Setting]:
    """Those below a node; ``depth``: how many lists it stands in."""
    if len(above) > _MAX_DEPTH:
        return
    for key, value in node.items:
        path = (*above, str(key.value))
        for element in value.elements:
            if element.kind == "mapping":
                yield from _in_lists(element, path, document, framework, depth + 1)
        if value.kind == "mapping":
            yield from _in_lists(value, path, document, framework, depth)
        elif depth and value.kind == "scalar":
            origin = Origin(
                "file", value.span, document.syntax, path, path[-1], framework.name,
                key_span=key.span,
            )  # fmt: skip
            seen = _seen(value, yaml_1_1=_is_yaml_1_1(document, framework))
            yield Setting(parts_of(path), seen, origin)


def words_in_lists(document: Document, framework: Framework) -> Iterator[Setting]:
    """The words that lists consist of, each at its place: ``target_modules: [q_proj, v_proj]``."""
    for path, _, node in document.root.leaves() if document.root is not None else ():
        for element in node.elements:
            if isinstance(element.value, str):
                origin = Origin(
                    "file", element.span, document.syntax, path, path[-1], framework.name
                )
                yield Setting(parts_of(path), element.value, origin)


def _is_yaml_1_1(document: Document, framework: Framework) -> bool:
    return document.syntax == "yaml" and framework.yaml_floats == "yaml-1.1"


def _seen(node: Node, *, yaml_1_1: bool) -> Scalar:
    """The value that the run gets: to PyYAML 010 is 8 and 1:30 is 90. A number that it leaves as
    text counts as the number that is meant.
    """
    number = type(node.loader_value) in (int, float)
    return node.loader_value if yaml_1_1 and number else node.value


def _single(value: Node, *, yaml_1_1: bool) -> Scalar:
    if value.kind == "scalar":
        return _seen(value, yaml_1_1=yaml_1_1)
    return " ".join(str(e.value) if e.kind == "scalar" else e.kind for e in value.elements)


def _steps_in_backward(root: Node, *, yaml_1_1: bool) -> bool:
    return any(
        not IN_BACKWARD.isdisjoint(parts_of(path)[-1:])
        and as_bool(_written(node, yaml_1_1=yaml_1_1))
        for path, _, node in root.leaves()
    )


def _field(key: Key, value: object) -> str:
    """transformers 5 reads ``warmup_steps`` below 1 as a share of the run."""
    share = isinstance(value, float) and not isinstance(value, bool) and 0 < value < 1
    return "warmup_ratio" if key.field == "warmup_steps" and share else key.field


def _written(node: Node, *, yaml_1_1: bool) -> Written:
    if node.kind == "sequence":
        scalars = all(e.kind == "scalar" and isinstance(e.value, int) for e in node.elements)
        return Written(None, None, count=len(node.elements) if scalars else 0)
    return Written(_seen(node, yaml_1_1=yaml_1_1), node.loader_value, node.raw)


def _resolve(root: Node, path: tuple[str, ...], node: Node) -> tuple[tuple[str, ...], Node]:
    """Where a value really stands: a reference to another key is followed."""
    for _ in range(_MAX_REFERENCES):
        found = _REFERENCE.fullmatch(node.value) if isinstance(node.value, str) else None
        if found is None:
            break
        path = tuple(found.group(1).split("."))
        target: Node | None = root
        for step in path:
            target = target.get(step) if target is not None else None
        if target is None or target.kind != "scalar":
            break
        node = target
    return path, node
