"""torch's caching allocator on a trace of allocations: what it reserves beyond the tensors.

The rules are those of c10/cuda/CUDACachingAllocator.cpp (torch 2.x, default settings): a request
takes the smallest free block that holds it, of equal ones that of the lowest address; the rest is
split off if larger than 1 MiB; else a segment is reserved, of 20 MiB for requests below 10 MiB and
of a multiple of 2 MiB above. Segments lie below those before them, as the driver gave them on an
H200. Freed blocks join free neighbours of their segment and are never given back. Requests up to
1 MiB live in a pool of their own, which is left out: it is small.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from medic.facts.memory import MIB

SMALL = MIB
MIDDLE = 10 * MIB
SEGMENT = 20 * MIB
ROUND = 2 * MIB


class Block:
    """A part of a segment, ``size`` bytes from ``address`` on; linked with its neighbours."""

    __slots__ = ("address", "after", "before", "free", "size")

    def __init__(self, size: int, address: int) -> None:
        self.size = size
        self.address = address
        self.free = False
        self.before: Block | None = None
        self.after: Block | None = None


class FullError(Exception):
    """More was wanted than may be reserved, and giving unused segments back was not enough."""


class Meter:
    """What the pools of one process count together: bytes allocated, their peak, bytes reserved.

    ``limit``: bytes that may be reserved, 0 for any number. A pool that would go beyond it has all
    pools give their unused segments back first, as torch does. Raises FullError if that is not enough.
    """

    def __init__(self, limit: int = 0) -> None:
        self.allocated = self.peak = self.reserved = 0
        self.limit = limit
        self.pools: list[Allocator] = []

    def reserve(self, size: int) -> None:
        if self.limit and self.reserved + size > self.limit:
            for pool in self.pools:
                self.reserved -= pool.release()
            if self.reserved + size > self.limit:
                raise FullError
        self.reserved += size
        self.most = max(self.most, self.reserved)

    most = 0  # that was ever reserved


def rounded(size: float) -> int:
    """Bytes of the block that a request of ``size`` asks for."""
    return -(-int(size) // 512) * 512


class Allocator:
    """A pool (torch keeps one a stream) that counts on ``meter``."""

    def __init__(self, meter: Meter | None = None) -> None:
        self.meter = meter or Meter()
        self.meter.pools.append(self)
        self._lowest = 0
        # Free blocks by size and address (no two have both the same).
        self._order: list[tuple[int, int, Block]] = []

    @property
    def allocated(self) -> int:
        return self.meter.allocated

    @property
    def peak(self) -> int:
        return self.meter.peak

    @property
    def reserved(self) -> int:
        return self.meter.most

    def take(self, size: float) -> Block | None:
        """A block of ``size`` bytes; None for what the pool of small blocks holds."""
        return None if size <= SMALL else self.fitting(rounded(size))

    def fitting(self, wanted: int) -> Block:
        """A block of ``wanted`` bytes, a multiple of 512 above ``SMALL``."""
        order, meter = self._order, self.meter
        place = bisect_left(order, (wanted, self._lowest))
        block = order.pop(place)[2] if place < len(order) else self._segment(wanted)
        block.free = False
        if block.size - wanted > SMALL:
            rest = Block(block.size - wanted, block.address + wanted)
            rest.before, rest.after = block, block.after
            if block.after is not None:
                block.after.before = rest
            block.after, block.size = rest, wanted
            self._keep(rest)
        meter.allocated += block.size
        meter.peak = max(meter.peak, meter.allocated)
        return block

    def give(self, block: Block | None) -> None:
        """The block is free again and joins its free neighbours."""
        if block is None:
            return
        self.meter.allocated -= block.size
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

    def passing(self, sizes: Sequence[float]) -> None:
        """Takes blocks and gives them back. One free block that holds them all is left as it is."""
        wanted = sum(size for size in sizes if size > SMALL)
        meter = self.meter
        if self._order and self._order[-1][0] >= wanted + 512 * len(sizes):
            meter.peak = max(meter.peak, meter.allocated + int(wanted))
            return
        blocks = [self.take(size) for size in sizes]
        for block in reversed(blocks):
            self.give(block)

    def release(self) -> int:
        """Gives segments back that nothing lies in; their bytes."""
        unused = [b for _, _, b in self._order if b.before is None and b.after is None]
        for block in unused:
            self._forget(block)
        return sum(block.size for block in unused)

    # --- blocks -----------------------------------------------------------------------------

    def _segment(self, wanted: int) -> Block:
        size = SEGMENT if wanted < MIDDLE else -(-wanted // ROUND) * ROUND
        self.meter.reserve(size)
        self._lowest -= size
        return Block(size, self._lowest)

    def _keep(self, block: Block) -> None:
        block.free = True
        insort(self._order, (block.size, block.address, block))

    def _forget(self, block: Block) -> None:
        block.free = False
        del self._order[bisect_left(self._order, (block.size, block.address))]
