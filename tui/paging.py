"""A question that is higher than the screen: its answers by pages, the question always in sight."""

from __future__ import annotations

from medic.records import replace

from . import words
from .lines import Block, Line, Row, rows

LEAST = 3  # rows for answers; where there are fewer the hint below them goes


class Paged:
    """The rows of a question at a width and a height; ``page`` counts from 0."""

    def __init__(self, block: Block, width: int, height: int, page: int) -> None:
        whole = rows(block, width)
        self.pages, self.page = 1, 0
        self.rows: list[Row] = whole
        if len(whole) <= height or block.options[0] >= block.options[1]:
            return
        first, end = block.options
        head, tail = block.lines[:first], block.lines[end:]
        rest = len(rows(replace(block, lines=head), width)) + 1
        below = len(rows(replace(block, lines=tail), width)) if tail else 0
        if height - rest - below < LEAST:
            tail, below = (), 0
        every = _parted(block, width, max(1, height - rest - below))
        self.pages = len(every)
        self.page = min(page, self.pages - 1)
        a, b = every[self.page]
        told = words.ANSWERS_SHOWN.fill(a=a - first + 1, b=b - first, n=end - first)
        lines = (*head, *block.lines[a:b], Line(told, "accent", indent=1), *tail)
        self.rows = rows(replace(block, lines=lines), width)


def _parted(block: Block, width: int, room: int) -> list[tuple[int, int]]:
    """(first, end) line of each page of answers that takes at most ``room`` rows."""
    first, end = block.options
    pages: list[tuple[int, int]] = []
    start, used = first, 0
    for i in range(first, end):
        size = len(rows(replace(block, lines=block.lines[i : i + 1]), width))
        if used + size > room and i > start:
            pages.append((start, i))
            start, used = i, 0
        used += size
    return [*pages, (start, end)]
