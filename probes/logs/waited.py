"""A wait of a launcher that is over: what it waited for came, so that nothing failed by it."""

from __future__ import annotations

from collections.abc import Callable

from medic.facts import Hit

from .view import View

OVER = "wait-over"  # the landmark


def over(view: View) -> Callable[[Hit], bool]:
    """Whether a line of one file tells of a wait that ended later in it.

    Programs that wait at once are told apart by their number alone: as many have to have got what
    they waited for as began to wait.
    """
    ends = [mark.source.line for mark in view.scan.marks if mark.signature == OVER]
    hits = view.scan.hits
    began = {h.source.line for h in hits if waits(h) and "still" not in h.source.text}

    def is_over(hit: Hit) -> bool:
        return bool(ends) and waits(hit) and hit.source.line < ends[-1] and len(ends) >= len(began)

    return is_over


def waits(hit: Hit) -> bool:
    """Whether a failure's line says that the same is tried again."""
    return (
        hit.role == "root" and "step creation" in hit.source.text and "retrying" in hit.source.text
    )
