"""Keys that a text names: as they are bound now, or as words where there are none."""

from __future__ import annotations

import re
from collections.abc import Callable

from medic.i18n import Text
from medic.records import replace

from .actions import ACTIONS, Action, remapped, shown_key
from .lines import Block, Line

Name = Callable[[Action], str]
_KEY = re.compile(r"(?<![\w.])f[1-9](?![\w.])")


def as_word(action: Action) -> str:
    """The typed form, for where no key is read."""
    return f"/{action.word}"


def told(text: Text, name: Name) -> Text:
    """A text with each usual key replaced by what ``name`` calls its action."""

    def of(found: re.Match[str]) -> str:
        return next((name(a) for a in ACTIONS if found.group() in a.keys), found.group())

    return Text(_KEY.sub(of, text.en), _KEY.sub(of, text.zh))


def in_block(block: Block, name: Name) -> Block:
    """A block in which the keys of medic's own words are replaced; quoted lines stay."""
    return replace(block, lines=tuple(_line(line, name) for line in block.lines))


def _line(line: Line, name: Name) -> Line:
    if line.verbatim or line.short:
        return line
    aside = None if line.aside is None else told(line.aside, name)
    return replace(line, text=told(line.text, name), aside=aside)


def as_bound(text: Text) -> Text:
    """A text with the keys that the user has chosen."""
    return told(text, shown_key) if remapped() else text


def block_as_bound(block: Block) -> Block:
    return in_block(block, shown_key) if remapped() else block
