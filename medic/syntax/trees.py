"""What the syntaxes share: mappings with duplicate and merged keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from medic.facts import Node, Problem
from medic.run_config import Span

Pair = tuple[Node, Node]


def identity(key: Node) -> object:
    """What makes two keys the same key."""
    if key.kind != "scalar":
        return ("collection", key.raw or key.span.start)
    value = key.loader_value if key.loader_value is not None else key.value
    return (type(value).__name__, value)


def mapping(
    span: Span,
    pairs: Sequence[Pair],
    problems: list[Problem],
    path: tuple[str, ...] = (),
    *,
    merge: bool = False,
) -> Node:
    """A mapping of the pairs in file order. Of a repeated key the last value stays, and
    ``problems`` gets both places. With ``merge``, a YAML ``<<`` fills in the keys not given.
    """
    kept: dict[object, Pair] = {}
    filled: dict[object, Pair] = {}
    for key, value in pairs:
        merged = _merged(key, value) if merge else None
        if merged is not None:
            for pair in merged:
                filled.setdefault(identity(pair[0]), pair)
            continue
        name = identity(key)
        if name in kept:
            first, dropped = kept.pop(name)
            detail = ".".join((*path, str(key.value if key.value is not None else key.raw)))
            problems.append(Problem("duplicate-key", key.span, detail, first.span, dropped))
        kept[name] = (key, value)
    extra = [pair for name, pair in filled.items() if name not in kept]
    return Node("mapping", span, items=(*extra, *kept.values()))


def _merged(key: Node, value: Node) -> Iterable[Pair] | None:
    if key.raw != "<<" or key.quoted:
        return None
    if value.kind == "mapping":
        return value.items
    if value.elements and all(e.kind == "mapping" for e in value.elements):
        return [pair for element in value.elements for pair in element.items]
    return None
