"""``usage: train.py [-h] --config CONFIG …`` as argparse prints it: the options it lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from medic.facts import Option, ParserSpec, Source
from medic.records import dataclass, field
from medic.text.patterns import regex

from .script.options import Takes, with_negatives

MAX_USAGE = 64 * 1024  # characters of one usage text
MAX_NESTING = 10
_TOKEN = regex(r"[\[\]()|]|\{[^{}]*\}|[^\s\[\]()|]+")
_PROGRAM = regex(r"\s*((?:\S+/)?python[\d.]*\s+-m\s+\S+|[^\s\[({-]\S*)")


@dataclass
class _Group:
    """What stands in brackets."""

    items: list[str | _Group] = field(default_factory=list)

    def first(self) -> str:
        head = self.items[0] if self.items else ""
        return head if isinstance(head, str) else head.first()


_Items = Sequence["str | _Group"]


def parse_usage(text: str, source: Source) -> ParserSpec | None:
    """The options of a usage text (what follows ``usage:``); None if it lists none.

    argparse shows only the first name of an option. Where the metavar of a short one tells its
    long name, that is added.
    """
    text = text[:MAX_USAGE]
    program = _PROGRAM.match(text)
    if program is None:
        return None
    items = _tree(text[program.end() :])
    found = _Reader(source)
    found.read(items, outer=True)
    if not any(name.startswith("-") for o in found.options for name in o.names):
        return None
    script = PurePosixPath(program[1].split()[-1]).name
    return ParserSpec(script, with_negatives(found.options), found.complete, origin="usage")


def _tree(text: str) -> _Items:
    """Words and bracketed groups; a bracket that is never closed ends with the text."""
    stack = [_Group()]
    for token in _TOKEN.findall(text):
        if token in ("[", "(") and len(stack) < MAX_NESTING:
            group = _Group()
            stack[-1].items.append(group)
            stack.append(group)
        elif token in ("]", ")"):
            stack = stack[:-1] if len(stack) > 1 else stack
        else:
            stack[-1].items.append(token)
    return stack[0].items


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.options: list[Option] = []
        self.seen: set[str] = set()
        self.complete = True

    def read(self, items: _Items, *, outer: bool = False) -> None:
        """Options and positional arguments, in the order in which they are listed."""
        at = 0
        while at < len(items):
            item = items[at]
            at += 1
            if isinstance(item, _Group):
                self.read(item.items)
            elif item == "...":
                self.complete = False  # a subcommand, or words handed on as they are
            elif item.startswith("-"):
                end = _end_of_values(items, at, outer)
                self._option(item, items[at:end])
                at = end
            elif item != "|":
                following = items[at] if at < len(items) else ""
                # Outside brackets dots stand for other arguments: {train,eval} ...
                repeats = _repeats(item, following) and not (outer and following == "...")
                at += repeats
                self._add(Option((item,), "many" if repeats else "value", source=self.source))

    def _add(self, option: Option) -> None:
        # Ranks that write in turns repeat each line.
        if option.names[0] not in self.seen:
            self.seen.add(option.names[0])
            self.options.append(option)

    def _option(self, name: str, values: _Items) -> None:
        first = values[0] if values else ""
        if name == "-h" and not values:
            self._add(Option(("-h", "--help"), "none", source=self.source))
            return
        choices = first[1:-1] if isinstance(first, str) and first.startswith("{") else ""
        self._add(
            Option(
                (name, *_other_names(name, first)),
                _takes(values),
                choices=tuple(c.strip() for c in choices.split(",")) if choices else (),
                source=self.source,
            )
        )


def _end_of_values(items: _Items, at: int, outer: bool) -> int:
    """Where the values of an option end. Outside brackets a positional argument may follow."""
    first = items[at] if at < len(items) else None
    end = at
    while end < len(items):
        item = items[end]
        if item == "|" or (item.first() if isinstance(item, _Group) else item).startswith("-"):
            break
        if outer and end > at and not (isinstance(first, str) and _repeats(first, item)):
            break
        end += 1
    return end


def _repeats(name: str, item: str | _Group) -> bool:
    """``NAME [NAME ...]``, ``NAME NAME``, ``NAME ...``: the same argument once more."""
    return item in (name, "...") if isinstance(item, str) else item.first() == name


def _takes(values: _Items) -> Takes:
    if not values:
        return "none"
    if len(values) > 1 or _has_dots(values[0]):
        return "many"
    return "optional-value" if isinstance(values[0], _Group) else "value"


def _has_dots(item: str | _Group) -> bool:
    if isinstance(item, _Group):
        return any(_has_dots(inner) for inner in item.items)
    return item == "..."


def _other_names(name: str, metavar: str | _Group) -> tuple[str, ...]:
    """``-c CONFIG``: the metavar is made from the first long name, so ``--config`` exists too."""
    text = metavar.first() if isinstance(metavar, _Group) else metavar
    if name.startswith("--") or not re.fullmatch(r"[A-Z][A-Z0-9_]+", text):
        return ()
    long = text.lower()
    return tuple(dict.fromkeys((f"--{long}", "--" + long.replace("_", "-"))))
