"""Which trace a set-up has, and what torch reserves in it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from medic.memory.peak import Step, size

if TYPE_CHECKING:  # a trace is made only where batch and sequence are known
    from medic.memory.begun import Ran
    from medic.memory.trace import Trace

# Tensors that take this much more than a limit cannot be put into it: what a block holds beyond the
# request is no part of them, and less than a tenth.
BEYOND = 1.1
ENGINES = ("single", "ddp", "group", "fsdp", "deepspeed")


@lru_cache(maxsize=512)
def reserved_share(step: Step, limit: int = 0) -> tuple[float, float]:
    """What torch reserves for all steps, and for the first, as multiples of the peaks of their tensors (>= 1).

    ``limit``: bytes that it may reserve; where tensors in pieces do not fit them, the share is what
    it would be without a limit.
    """
    if not limit:
        return _unlimited(step)[:2]
    if size_of(step) > limit:
        share, first, peak, most = _unlimited(step)
        if peak > BEYOND * limit or most <= limit:
            return share, first
    from medic.memory.allocator import FullError
    from medic.memory.begun import ran

    try:
        return ran(step, limit)[:2]
    except FullError:
        return _unlimited(step)[:2]


@lru_cache(maxsize=512)
def _unlimited(step: Step) -> Ran:
    """Where any number of bytes may be reserved: the same for a card and for what other processes
    leave of it."""
    from medic.memory.begun import ran

    return ran(step)


def size_of(step: Step) -> int:
    """Bytes of the step's tensors at their peak."""
    return max(map(size, step.phases.values()))


def trace_of(step: Step, limit: int = 0) -> Trace:
    if step.setup.engine == "deepspeed":
        from medic.memory.zero import Zero

        return Zero(step, limit)
    if step.setup.zero == 3:
        from medic.memory.sharded import Sharded

        return Sharded(step, limit)
    if step.setup.pipeline > 1:
        from medic.memory.pipelined import Pipelined

        return Pipelined(step, limit)
    from medic.memory.trace import Trace

    return Trace(step, limit)


def traced(step: Step) -> bool:
    """Whether the order of the step's allocations is known."""
    setup = step.setup
    deepspeed = setup.engine == "deepspeed"
    if deepspeed and (setup.lora or setup.tensor * setup.pipeline > 1):
        return False
    known = setup.engine in ENGINES and setup.expert == 1 and not setup.recomputes_some
    return known and deepspeed == (setup.style == "master") and not (deepspeed and not setup.zero)
