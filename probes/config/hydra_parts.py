"""Files that are parts of another configuration: those that its ``defaults`` list names, each at its
place in the whole (hydra.cc, "the defaults list", "packages")."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence

from medic.errors import Unreadable
from medic.facts import Document, GivenFile, Node
from medic.probe import Look
from medic.records import dataclass, replace
from medic.text.patterns import regex

_ENTRY = regex(r"^(?:(?:override|optional)\s+)*([^@\s]*)(?:@(\S+))?$")
_CHOICE = regex(r"\$\{([\w.]+)\}")
_SELF = "_self_"
_WHOLE, _HERE = "_global_", "_here_"
_MAX_PARTS = 200
_YAML = (".yaml", ".yml")


@dataclass(frozen=True)
class Part:
    """``package``: the keys below which it stands in the configuration ``main`` (a path)."""

    package: tuple[str, ...]
    main: str


@dataclass(frozen=True)
class Parts:
    """By path: the parts that a given configuration names, and ``others``, which stand beside them
    in their folders: what else may be chosen; "" where several configurations are given."""

    named: Mapping[str, Part]
    others: Mapping[str, str]


_NONE = Parts({}, {})


def parts_of(look: Look) -> Parts:
    """Of the given files. Where several are whole configurations that name parts, no part is told to
    be of one of them."""
    given = look.files("config")
    if len(given) < 2:
        return _NONE
    roots = {file.path: root for file in given if (root := _root(look, file)) is not None}
    lists = {path: one for path, root in roots.items() if (one := _defaults(root))}
    found = {path: dict(_resolved(path, lists)) for path in lists}
    used = {p: parts for p, parts in found.items() if any(part in roots for part in parts)}
    mains = [p for p in used if not any(_is_below(p, main, found[main]) for main in used)]
    if not mains:
        return _NONE
    main = mains[0]
    if len(mains) > 1:
        return Parts(
            {},
            {
                p: ""
                for p in roots
                if any(_is_below(p, m, found[m]) for m in mains)
                and posixpath.dirname(p) not in set(map(posixpath.dirname, mains))
            },
        )
    named = {p: Part(package, main) for p, package in found[main].items() if p in roots}
    folders = {posixpath.dirname(p) for p in named} - {posixpath.dirname(main)}
    rest = [p for p in roots if p not in named and p != main]
    return Parts(named, {p: main for p in rest if posixpath.dirname(p) in folders})


def _is_below(path: str, main: str, parts: Collection[str]) -> bool:
    """Whether a file is a part of another one, or stands among its parts."""
    folder = posixpath.dirname(path)
    beside = folder in {posixpath.dirname(p) for p in parts} - {posixpath.dirname(main)}
    return path != main and (path in parts or beside)


def placed(document: Document, package: Sequence[str]) -> Document:
    """The document with its keys below those of its package."""
    root = document.root
    if root is None:
        return document
    for step in reversed(package):
        key = Node("scalar", root.span, value=step, raw=step, loader_value=step)
        root = Node("mapping", root.span, items=((key, root),))
    return replace(document, root=root)


def _root(look: Look, file: GivenFile) -> Node | None:
    try:
        document = look.parse(file.path)
    except Unreadable:
        return None
    mapping = document.root is not None and document.root.kind == "mapping"
    return document.root if document.syntax == "yaml" and mapping else None


def _defaults(root: Node) -> tuple[Node, ...]:
    found = root.get("defaults")
    return found.elements if found is not None and found.kind == "sequence" else ()


def _resolved(
    main: str, lists: Mapping[str, tuple[Node, ...]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(path of a part, its package), parts of parts as well; the first place of each counts."""
    seen: set[str] = {main}
    open_: list[tuple[str, tuple[str, ...]]] = [(main, ())]
    top = posixpath.dirname(main)
    overrides: dict[str, str] = {}
    while open_ and len(seen) < _MAX_PARTS:
        path, package = open_.pop(0)
        for part, below in _entries(path, lists.get(path, ()), top, overrides):
            whole = (*package, *below) if below is not None else ()
            if part not in seen:
                seen.add(part)
                open_.append((part, whole))
                yield part, whole


def _entries(
    path: str, entries: Sequence[Node], top: str, overrides: dict[str, str]
) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """(path, package below that of the list's own file; None for the top of everything).

    ``overrides``: what lists that were read before choose for a group of a later one.
    """
    choices: dict[str, str] = {}
    for entry in entries:
        pairs = [(str(k.value), v.value) for k, v in entry.items]
        for key, value in pairs or [("", entry.value)]:
            found = _ENTRY.match(key or str(value))
            if found is None or value in (None, _SELF) or isinstance(value, bool):
                continue
            group, package = (found[1], found[2]) if key else ("", found[2])
            name = str(value) if key else found[1]
            if key.startswith("override"):
                overrides[group.strip("/")] = name
                continue
            name = overrides.get(group, name)
            choices[group] = name
            name = _CHOICE.sub(lambda m: choices.get(m[1], m[0]), name)
            folder = (
                top if group.startswith("/") or name.startswith("/") else posixpath.dirname(path)
            )
            stem = name if name.endswith(_YAML) else f"{name}.yaml"
            part = posixpath.normpath(posixpath.join(folder, group.strip("/"), stem.lstrip("/")))
            yield part, _package(package, group)


def _package(written: str | None, group: str) -> tuple[str, ...] | None:
    if written == _WHOLE:
        return None
    if written is not None and written != _HERE:
        return tuple(written.split("."))
    steps = [step for step in group.strip("/").split("/") if step not in ("", ".", "..")]
    return tuple(steps) if written is None else ()
