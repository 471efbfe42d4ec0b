"""Steps of lines that name none: counted by the lines, or by what the run logs at once.

Hugging Face's Trainer prints a dict every ``logging_steps`` steps (and, with ``logging_first_step``,
at the first) without a step, and its bar may go to another stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Counted, StepLine
from medic.probe import Look
from medic.records import replace
from medic.text.patterns import regex

from .digits import whole
from .view import View

MAX_FILES, MAX_LINES = 20, 4000
_EVERY = regex(r"\blogging[_-]steps\b[\"']?\s{0,3}[:= ]\s{0,3}(\d{1,6})\b(?!\.)")
_FIRST = regex(r"\blogging[_-]first[_-]step\b[\"']?\s{0,3}[:= ]\s{0,3}[Tt]rue")


def settle(look: Look, views: Sequence[View]) -> None:
    """Gives counted steps their numbers where one interval is stated in the scripts and configs."""
    counting = [v for v in views if any(isinstance(s.step, Counted) for s in v.steps)]
    every, first = _stated(look) if counting else (None, False)
    if every is None:
        return
    for view in counting:
        view.steps = [_numbered(step, every, first=first) for step in view.steps]


def _numbered(line: StepLine, every: int, *, first: bool) -> StepLine:
    step = line.step
    if not isinstance(step, Counted):
        return line
    at = max(1, (step.lines - first) * every) if step.lines else 0
    return replace(line, step=step.after + at)


def _stated(look: Look) -> tuple[int | None, bool]:
    found: set[int] = set()
    first = False
    for text in _texts(look):
        found |= {whole(n) for n in _EVERY.findall(text)}
        first = first or _FIRST.search(text) is not None
    every = found.pop() if len(found) == 1 else 0
    return (every or None), first


def _texts(look: Look) -> Iterator[str]:
    for file in look.files("script", "config")[:MAX_FILES]:
        with suppress(Unreadable):
            yield "\n".join(text for _, text in islice(look.lines(file.path), MAX_LINES))
