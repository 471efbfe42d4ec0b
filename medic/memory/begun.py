"""Traces that begin alike: plans that differ in the optimizer only allocate the same up to its first
step, so that the next one goes on where that of the last was."""

from __future__ import annotations

from typing import Any

from medic.memory.allocator import Allocator, Block
from medic.memory.peak import Step
from medic.memory.states import ADAMW
from medic.memory.trace import Trace
from medic.memory.traces import trace_of
from medic.records import replace


class _Pool:
    """The blocks of a pool as they were: of each segment all, used and free."""

    def __init__(self, pool: Allocator) -> None:
        self.pool = pool
        self.order, self.lowest, self.segments = pool.order[:], pool.lowest, pool.segments[:]
        self.blocks: list[tuple[Block, int, int, Block | None, Block | None]] = []
        for first in pool.segments:
            block: Block | None = first
            while block is not None:
                self.blocks.append((block, block.size, block.key, block.before, block.after))
                block = block.after

    def again(self) -> None:
        pool, free = self.pool, {}
        for block, size, key, before, after in self.blocks:
            block.size, block.key, block.before, block.after = size, key, before, after
            if key:
                free[key] = block
        pool.order, pool.free = self.order[:], free
        pool.lowest, pool.segments = self.lowest, self.segments[:]


class _Beginning:
    """A trace as it was before the first step of its optimizer; any number of runs go on from it,
    one at a time."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.own = _copied(vars(trace))
        self.slots = [layer.slots[:] for layer in trace.layers]
        self.tapes = [(tape, tape.held.copy()) for tape in (trace.copies, trace.ends.loss)]
        self.meter = _counts(trace)
        self.pools = [_Pool(pool) for pool in trace.meter.pools]

    def again(self, step: Step) -> Trace:
        trace = self.trace
        vars(trace).update(_copied(self.own))
        trace.step, trace.setup = step, step.setup
        for layer, slots in zip(trace.layers, self.slots, strict=True):
            layer.slots = slots[:]
        for tape, held in self.tapes:
            tape.held = held.copy()
        meter = trace.meter
        meter.allocated, meter.peak, meter.reserved, meter.most, meter.given_back = self.meter
        for pool in self.pools:
            pool.again()
        return trace


def _counts(trace: Trace) -> tuple[int, int, int, int, int]:
    meter = trace.meter
    return meter.allocated, meter.peak, meter.reserved, meter.most, meter.given_back


def _copied(values: dict[str, Any]) -> dict[str, Any]:
    """What is added to, or taken from, in place is copied."""
    return {
        name: value.copy() if isinstance(value, (list, dict, set)) else value
        for name, value in values.items()
    }


# What torch reserves for all steps, and for the first, as multiples of the peaks of their blocks; the
# peak of all, and the most that was reserved, in bytes.
Ran = tuple[float, float, int, int]

# The last ones: a plan, and what it is compared with. Whoever goes on from one takes it out meanwhile:
# threads may ask at the same time.
_LAST: dict[tuple[Step, int], _Beginning] = {}
KEPT = 2


def ran(step: Step, limit: int = 0) -> Ran:
    """A run of the step's trace. Raises FullError."""
    alike = replace(step, setup=replace(step.setup, optimizer=ADAMW)), limit
    beginning = _LAST.pop(alike, None)
    if beginning is not None:
        trace = beginning.again(step)
    else:
        trace = trace_of(step, limit)
        trace.begin()
        beginning = _Beginning(trace)
    try:
        return trace.finish(), trace.first_share, trace.meter.peak, trace.meter.most
    finally:
        _LAST[alike] = beginning
        for old in list(_LAST)[:-KEPT]:
            _LAST.pop(old, None)
