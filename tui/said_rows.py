"""Blocks as rows: one by itself, and one of a talk, whose rows are kept."""

from __future__ import annotations

from medic.i18n import Lang, current
from medic.records import replace

from .keys_told import block_as_bound
from .laid import RowsView
from .lines import Block, Row, rows


class BlockView(RowsView):
    """One block by itself."""

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.block = block

    def rows(self, width: int) -> list[Row]:
        return rows(self.block, width)


class Said:
    """A block of the talk. Its rows are kept until the width or the language changes."""

    def __init__(self, block: Block, number: int) -> None:
        self.block = block
        self.number = number
        self.stubbed = False
        self._laid: tuple[int, Lang, list[Row]] | None = None

    def rows(self, width: int) -> list[Row]:
        kept = self._laid
        if kept is None or kept[:2] != (width, current()):
            kept = (width, current(), rows(block_as_bound(self.shown), width, self.number))
            self._laid = kept
        return kept[2]

    @property
    def shown(self) -> Block:
        stub = self.block.stub if self.stubbed else None
        return self.block if stub is None else replace(self.block, lines=(stub,))

    def take(self, block: Block) -> None:
        self.block, self._laid = block, None

    def shorten(self) -> None:
        """Only its stub is shown, if it has one."""
        if self.block.stub is not None:
            self.stubbed, self._laid = True, None
