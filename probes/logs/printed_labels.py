"""The labels of one sample as a trainer prints them at its start: all masked, or not.

LLaMA-Factory and others print ``label_ids`` of the first sample as a list, whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from medic.facts import Hit, Source
from medic.text.patterns import regex

from . import windows

if TYPE_CHECKING:
    from .view import View

MASKED = "-100, -100, -100"  # of fewer the list may be a shape or a padding
_ALL = regex(r"(?:.*[\s:=(])?\[(?:-100, )+-100\]\)?\s*")


def masked(view: View, head: Iterable[windows.Numbered | None]) -> Iterator[Hit]:
    """A hit for the first such list among the first lines."""
    for number, text in filter(None, head):
        if MASKED in text and _ALL.fullmatch(text):
            source = Source(view.given.name, number, text=text[:200])
            yield Hit(
                signature="printed-labels-all-masked",
                symptom="",
                role="context",
                source=source,
                captures={},
                order=view.order(number),
                check="counted-labels",
                outcome="none",
            )
            return
