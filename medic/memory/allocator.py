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
from collections.abc import Callable, Sequence
from operator import ge

from medic.facts.memory import MIB

SMALL = MIB
MIDDLE = 10 * MIB
SEGMENT = 20 * MIB
ROUND = 2 * MIB
# A free block's key orders by size, then by address: one whole number compares faster than two.
KEY = 50  # bits of an address
HIGHEST = 1 << (KEY - 1)
# What a layer does, with which slot, of how many bytes (MOVE: to which slot; GRADIENT: values; PASS:
# all at once), the least key of a block that holds it, and the sizes of what passes.
TAKE, DROP, PASS, RETAKE, MOVE, GRADIENT, COPY = range(7)
Instruction = tuple[int, int, int, int, tuple[float, ...]]


class Block:
    """A part of a segment, ``size`` bytes from ``address`` on; linked with its neighbours. ``key``:
    its place among the free ones, 0 where it is in use.

    Who makes one sets all of it: a constructor would cost more than the rest of a split.
    """

    __slots__ = ("address", "after", "before", "key", "size")
    size: int
    address: int
    key: int
    before: Block | None
    after: Block | None


class FullError(Exception):
    """More was wanted than may be reserved, and giving unused segments back was not enough."""


class Meter:
    """What the pools of one process count together: bytes allocated, their peak, bytes reserved.

    ``limit``: bytes that may be reserved, 0 for any number. A pool that would go beyond it has all
    pools give their unused segments back first, as torch does. Raises FullError if that is not enough.
    """

    __slots__ = ("allocated", "given_back", "limit", "most", "peak", "pools", "reserved")

    def __init__(self, limit: int = 0) -> None:
        self.allocated = self.peak = self.reserved = 0
        self.most = 0  # that was ever reserved
        self.limit = limit
        self.given_back = 0  # times that unused segments were
        self.pools: list[Allocator] = []

    def reserve(self, size: int) -> None:
        if self.limit and self.reserved + size > self.limit:
            self.given_back += 1
            for pool in self.pools:
                self.reserved -= pool.release()
            if self.reserved + size > self.limit:
                raise FullError
        self.reserved += size
        self.most = max(self.most, self.reserved)


def rounded(size: float) -> int:
    """Bytes of the block that a request of ``size`` asks for."""
    return -(-int(size) // 512) * 512


def together(sizes: Sequence[float]) -> tuple[int, int]:
    """Bytes of what is alive together for a moment, and the key that no smaller block than one
    which holds it all has."""
    wanted = sum(size for size in sizes if size > SMALL)
    return int(wanted), -int(-(wanted + 512 * len(sizes)) // 1) << KEY


class Allocator:
    """A pool (torch keeps one a stream) that counts on ``meter``."""

    def __init__(self, meter: Meter | None = None) -> None:
        self.meter = meter or Meter()
        self.meter.pools.append(self)
        self.lowest = HIGHEST
        self.order: list[int] = []  # keys of the free blocks
        self.free: dict[int, Block] = {}  # by key, together with some that no longer are free
        self.segments: list[Block] = []  # the first block of each

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
        return None if size <= SMALL else self.fitting(-(-int(size) // 512) * 512)

    def fitting(self, wanted: int) -> Block:
        """A block of ``wanted`` bytes, a multiple of 512 above ``SMALL``."""
        order, meter = self.order, self.meter
        try:
            block = self.free[order.pop(bisect_left(order, wanted << KEY))]
        except IndexError:  # none is as large
            block = self._segment(wanted)
        block.key = 0
        size = block.size
        over = size - wanted
        if over > SMALL:
            rest = Block()
            rest.size, rest.before, block.size = over, block, wanted
            rest.address = address = block.address + wanted
            rest.after = after = block.after
            if after is not None:
                after.before = rest
            rest.key = key = over << KEY | address
            block.after = self.free[key] = rest
            insort(order, key)
            size = wanted
        meter.allocated = now = meter.allocated + size
        if now > meter.peak:  # noqa: PLR1730 - max() costs more, and this is the innermost loop
            meter.peak = now
        return block

    def give(self, block: Block | None) -> None:
        """The block is free again and joins its free neighbours."""
        if block is None:
            return
        order, size = self.order, block.size
        self.meter.allocated -= size
        after, before = block.after, block.before
        if after is not None and after.key:
            del order[bisect_left(order, after.key)]
            size += after.size
            block.after = after = after.after
            if after is not None:
                after.before = block
        if before is not None and before.key:
            del order[bisect_left(order, before.key)]
            size += before.size
            before.after = after
            if after is not None:
                after.before = before
            block = before
        block.size = size
        block.key = key = size << KEY | block.address
        insort(order, key)
        self.free[key] = block

    def passing(self, sizes: Sequence[float]) -> None:
        """Takes blocks and gives them back. One free block that holds them all is left as it is."""
        wanted, key = together(sizes)
        meter = self.meter
        if self.order and self.order[-1] >= key:
            meter.peak = max(meter.peak, meter.allocated + wanted)
        else:
            self._pass(sizes)

    def _pass(self, sizes: Sequence[float]) -> None:
        blocks = [self.take(size) for size in sizes]
        for block in reversed(blocks):
            self.give(block)

    def run(  # noqa: PLR0912, PLR0915 - calls would cost as much as what they do
        self,
        program: Sequence[Instruction],
        slots: list[Block | None],
        other: Callable[[int, int, int], None],
    ) -> None:
        """A layer's instructions on its ``slots``; ``other`` takes those that are no blocks of its
        own. A trace spends its time here: ``fitting`` and ``give`` are written out in it.
        """
        order, free, meter = self.order, self.free, self.meter
        allocated, peak = meter.allocated, meter.peak
        for what, slot, size, least, sizes in program:
            if what == TAKE:
                try:
                    block = free[order.pop(bisect_left(order, least))]
                except IndexError:
                    block = self._segment(size)
                block.key = 0
                have = block.size
                over = have - size
                if over > SMALL:
                    rest = Block()
                    rest.size, rest.before, block.size = over, block, size
                    rest.address = address = block.address + size
                    rest.after = after = block.after
                    if after is not None:
                        after.before = rest
                    rest.key = key = over << KEY | address
                    block.after = free[key] = rest
                    insort(order, key)
                    have = size
                allocated += have
                if allocated > peak:  # noqa: PLR1730
                    peak = allocated
                slots[slot] = block
            elif what == DROP:
                given, slots[slot] = slots[slot], None
                if given is None:
                    continue
                block = given
                have = block.size
                allocated -= have
                after, before = block.after, block.before
                if after is not None and after.key:
                    del order[bisect_left(order, after.key)]
                    have += after.size
                    block.after = after = after.after
                    if after is not None:
                        after.before = block
                if before is not None and before.key:
                    del order[bisect_left(order, before.key)]
                    have += before.size
                    before.after = after
                    if after is not None:
                        after.before = before
                    block = before
                block.size = have
                block.key = key = have << KEY | block.address
                insort(order, key)
                free[key] = block
            elif what == PASS and order and order[-1] >= least:
                if allocated + size > peak:  # noqa: PLR1730
                    peak = allocated + size
            elif what == MOVE:
                slots[size], slots[slot] = slots[slot], None
            else:
                meter.allocated, meter.peak = allocated, peak
                if what == PASS:
                    self._pass(sizes)
                elif what == RETAKE:
                    old, slots[slot] = slots[slot], self.fitting(size)
                    self.give(old)
                else:
                    other(what, slot, size)
                allocated, peak = meter.allocated, meter.peak
        meter.allocated, meter.peak = allocated, peak

    def free_sizes(self) -> tuple[int, ...]:
        """Of the free blocks, the largest first."""
        return tuple([key >> KEY for key in reversed(self.order)])

    def holds(self, sizes: tuple[int, ...]) -> bool:
        """Whether there is a free block for each of these, the largest first."""
        now = self.free_sizes()
        return len(now) >= len(sizes) and all(map(ge, now, sizes))

    def release(self) -> int:
        """Gives segments back that nothing lies in; their bytes."""
        free = [self.free[key] for key in self.order]
        unused = [block for block in free if block.before is None and block.after is None]
        for block in unused:
            self.order.remove(block.key)
            block.key = 0
        return sum(block.size for block in unused)

    def _segment(self, wanted: int) -> Block:
        size = SEGMENT if wanted < MIDDLE else -(-wanted // ROUND) * ROUND
        self.meter.reserve(size)
        self.lowest -= size
        block = Block()
        block.size, block.address, block.key = size, self.lowest, 0
        block.before = block.after = None
        self.segments.append(block)
        return block
