"""Loops of a script that start their command again while it still runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.records import dataclass
from medic.text.patterns import regex

from .option_words import set_once
from .script_text import ScriptText

_STEP = regex(r"(?:^|(?<=[;&|(\n]))\s*(for|while|until|select|do|done)(?![\w-])")
_LISTED = regex(r"for\s+(?P<name>\w+)\s+in\s+(?P<items>[^;\n]*?)\s*(?:;|$)")
_COUNTED = regex(r"for\s*\(\(\s*(?P<name>\w+)\s*=\s*0\s*;\s*\w+\s*<\s*\$?\{?(?P<end>\w+)\}?\s*;")
_RANGE = regex(r"\{(\d+)\.\.(\d+)(?:\.\.\d+)?\}")
_SEQUENCE = regex(r"\$\(\s*seq\s+(\d+)(?:\s+(\d+))?\s*\)")
# What a loop waits with, or asks the jobs that run.
_HOLDS = regex(r"\b(?:wait|fg|jobs|pgrep|sem|parallel|flock|sleep\s+(?:\d{3,}|\d+[mh]))\b")


@dataclass(frozen=True)
class Loop:
    """A loop from the line of its head to that of its ``done``. ``counter``: the variable that has
    another whole number in each pass, "" if there is none.
    """

    first: int
    last: int
    counter: str = ""


def repeating(script: ScriptText) -> Iterator[Loop]:
    """Loops that are known to run more than once and wait for nothing inside."""
    for first, last in loops(script):
        body = "\n".join(script.code[first - 1 : last])
        if _again(script, first) and _HOLDS.search(body) is None:
            yield Loop(first, last, _counter(script.line_text(first)))


def loops(script: ScriptText) -> Iterator[tuple[int, int]]:
    """(line of the head, line of its ``done``) of every loop."""
    opened: list[int] = []
    for number, line in enumerate(script.code, 1):
        for step in _STEP.finditer(line):
            if step[1] in ("for", "while", "until", "select"):
                opened.append(number)
            elif step[1] == "done" and opened:
                yield opened.pop(), number


def _again(script: ScriptText, first: int) -> bool:
    head = script.line_text(first).strip()
    listed, counted = _LISTED.match(head), _COUNTED.match(head)
    if counted is not None:
        end = counted["end"]
        known = (end, None) if end.isdigit() else set_once(script, end)
        return known is not None and known[0].isdigit() and int(known[0]) > 1
    return listed is not None and _items(listed["items"]) > 1


def _counter(head: str) -> str:
    listed, counted = _LISTED.match(head.strip()), _COUNTED.match(head.strip())
    if counted is not None:
        return counted["name"]
    if listed is None:
        return ""
    items = listed["items"]
    made = _RANGE.fullmatch(items) or _SEQUENCE.fullmatch(items)
    words = items.split()
    numbers = all(word.isdigit() for word in words) and len(set(words)) == len(words)
    return listed["name"] if made or numbers else ""


def _items(text: str) -> int:
    """How many words a list surely has; 1 where the shell makes it."""
    spans = _RANGE.fullmatch(text)
    if spans is not None:
        return abs(int(spans[2]) - int(spans[1])) + 1
    counted = _SEQUENCE.fullmatch(text)
    if counted is not None:
        first, last = (1, int(counted[1])) if counted[2] is None else map(int, counted.groups())
        return last - first + 1
    words = text.split()
    return len(words) if all(re.fullmatch(r"[\w.,:/=+-]+", word) for word in words) else 1
