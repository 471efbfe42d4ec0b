"""torch's caching allocator on a trace of allocations: what it reserves beyond the tensors.

The rules are those of c10/cuda/CUDACachingAllocator.cpp (torch 2.x, default settings): a request
takes the smallest free block that holds it; the rest is split off if larger than 1 MiB; else a
segment is reserved, of 20 MiB for requests below 10 MiB and of a multiple of 2 MiB above. Freed
blocks join free neighbours of their segment and are never given back. Requests up to 1 MiB live in
a pool of their own, which is left out: it is small.
"""

from __future__ import annotations

from bisect import bisect_left, insort

MIB = 1024**2
SMALL = MIB
MIDDLE = 10 * MIB
SEGMENT = 20 * MIB
ROUND = 2 * MIB


class Block:
    """A part of a segment, ``size`` bytes; linked with its neighbours."""

    __slots__ = ("after", "before", "free", "number", "size")

    def __init__(self, size: int, number: int) -> None:
        self.size = size
        self.number = number
        self.free = False
        self.before: Block | None = None
        self.after: Block | None = None


class Allocator:
    """Counts bytes: ``allocated`` now, ``peak`` of it, and ``reserved``, which never shrinks."""

    def __init__(self) -> None:
        self.allocated = self.peak = self.reserved = 0
        self._number = 0
        self._order: list[tuple[int, int]] = []
        self._blocks: dict[int, Block] = {}

    def take(self, size: float) -> Block | None:
        """A block of ``size`` bytes; None for what the pool of small blocks holds."""
        if size <= SMALL:
            return None
        wanted = -(-int(size) // 512) * 512
        block = self._fitting(wanted) or self._segment(wanted)
        if block.size - wanted > SMALL:
            self._split(block, wanted)
        block.free = False
        self.allocated += block.size
        self.peak = max(self.peak, self.allocated)
        return block

    def give(self, block: Block | None) -> None:
        """The block is free again and joins its free neighbours."""
        if block is None:
            return
        self.allocated -= block.size
        after, before = block.after, block.before
        if after is not None and after.free:
            self._forget(after)
            block.size += after.size
            block.after = after.after
            if block.after is not None:
                block.after.before = block
        if before is not None and before.free:
            self._forget(before)
            before.size += block.size
            before.after = block.after
            if before.after is not None:
                before.after.before = before
            block = before
        self._keep(block)

    # --- blocks -----------------------------------------------------------------------------

    def _fitting(self, wanted: int) -> Block | None:
        place = bisect_left(self._order, (wanted, 0))
        if place == len(self._order):
            return None
        block = self._blocks[self._order[place][1]]
        self._forget(block)
        return block

    def _segment(self, wanted: int) -> Block:
        size = SEGMENT if wanted < MIDDLE else -(-wanted // ROUND) * ROUND
        self.reserved += size
        return self._new(size)

    def _new(self, size: int) -> Block:
        self._number += 1
        return Block(size, self._number)

    def _split(self, block: Block, wanted: int) -> None:
        rest = self._new(block.size - wanted)
        rest.before, rest.after = block, block.after
        if block.after is not None:
            block.after.before = rest
        block.after, block.size = rest, wanted
        self._keep(rest)

    def _keep(self, block: Block) -> None:
        block.free = True
        self._blocks[block.number] = block
        insort(self._order, (block.size, block.number))

    def _forget(self, block: Block) -> None:
        block.free = False
        del self._order[bisect_left(self._order, (block.size, block.number))]
        del self._blocks[block.number]
