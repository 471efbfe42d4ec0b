"""Whether a file's keys are those of a fork of its framework, or of other releases than the known."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from medic.facts import GivenFile, Node, Source
from medic.probe import Finding

from .forks import ELSEWHERE, Shown
from .key_names import Framework, nearest_name, normal
from .meanings import Dictionary


def names_in(root: Node) -> frozenset[str]:
    """The names of the keys of a document, of all its blocks."""
    return frozenset(_names_in(root))


def _names_in(node: Node) -> Iterator[str]:
    for key, value in node.items:
        yield normal(str(key.value))
        yield from _names_in(value)
    for element in node.elements:
        yield from _names_in(element)


def strangers(siblings: Collection[str], parents: tuple[str, ...], book: Dictionary) -> list[str]:
    """Those of a block's names that no framework calls a setting, and that are near none."""
    names = book.names
    near = names.candidates(parents)
    return [
        one
        for one in siblings
        if one not in names.leaves and one not in book.foreign and not nearest_name(one, near)
    ]


def lone_key(
    check: str, given: GivenFile, key: Node, fork: Shown, framework: Framework, meant: str
) -> Finding:
    """The one key that shows a fork; ``meant`` is the framework's own, if it has one."""
    what = fork.said(str(key.value), framework.title, meant)
    source = Source(given.name, key.span.line, text=key.raw)
    values = {"what": what, "mild": ELSEWHERE}
    return Finding(check, "fires", values, source, span=key.span)
