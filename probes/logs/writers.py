"""Runs that write into one file, each with a tag before its lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from medic.facts import Source, StepLine
from medic.text.patterns import regex

_TAG = regex(r"\[([A-Za-z][\w.-]{0,40})\] ")
# What stands in brackets before lines of one run: levels, and stages that count for themselves.
_OF_ONE = regex(
    r"(?i)(?:debug|info|warn(?:ing)?|error|critical|fatal|train(?:ing|er)?|val(?:id(?:ation)?)?"
    r"|eval(?:uation)?|test|warm-?up|rank.*)$"
)
# So many equal steps with other values are of two runs.
SHARED = 3


def writers(steps: Iterable[StepLine]) -> Callable[[Source], int | str | None]:
    """Who wrote a line: its rank, else the tag of a run if several in its file log the same steps
    with other values, else None."""
    values: dict[str, dict[str, dict[int, object]]] = {}
    for step in steps:
        tag = _tag(step.source)
        if tag and step.values:
            of_file = values.setdefault(step.source.file, {})
            of_file.setdefault(tag, {}).setdefault(step.step, tuple(step.values.items()))
    runs = {(file, tag) for file, own in values.items() for tag in _apart(own)}

    def writer(source: Source) -> int | str | None:
        if not runs or source.rank is not None:
            return source.rank
        tag = _tag(source)
        return tag if (source.file, tag) in runs else None

    return writer


def _tag(source: Source) -> str:
    found = _TAG.match(source.text) if source.rank is None else None
    return "" if found is None or _OF_ONE.match(found[1]) else found[1]


def _apart(tags: dict[str, dict[int, object]]) -> set[str]:
    """The tags that share steps with another one, at other values."""
    found: set[str] = set()
    names = list(tags)[:16]
    for n, one in enumerate(names):
        for other in names[n + 1 :]:
            shared = tags[one].keys() & tags[other].keys()
            if sum(tags[one][s] != tags[other][s] for s in shared) >= SHARED:
                found |= {one, other}
    return found
