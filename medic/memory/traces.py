"""Which trace a set-up has, and what torch reserves in it."""

from __future__ import annotations

from functools import lru_cache

from medic.memory.peak import Step
from medic.memory.pipelined import Pipelined
from medic.memory.sharded import Sharded
from medic.memory.trace import Trace
from medic.memory.zero import Zero

ENGINES = ("single", "ddp", "group", "fsdp", "deepspeed")


@lru_cache(maxsize=512)
def reserved_share(step: Step, limit: int = 0) -> float:
    """What torch reserves for the step, as a multiple of the peak of its tensors (>= 1).

    ``limit``: bytes that it may reserve; where tensors in pieces do not fit them, the share is what
    it would be without a limit.
    """
    trace = trace_of(step)
    share = trace.run()
    if not limit or trace.meter.most <= limit:
        return share
    within = trace_of(step, limit)
    held = within.run()
    return share if within.meter.failed else held


def trace_of(step: Step, limit: int = 0) -> Trace:
    if step.setup.engine == "deepspeed":
        return Zero(step, limit)
    if step.setup.zero == 3:
        return Sharded(step, limit)
    return (Pipelined if step.setup.pipeline > 1 else Trace)(step, limit)


def traced(step: Step) -> bool:
    """Whether the order of the step's allocations is known."""
    setup = step.setup
    deepspeed = setup.engine == "deepspeed"
    if deepspeed and (setup.lora or setup.tensor * setup.pipeline > 1):
        return False
    known = setup.engine in ENGINES and setup.expert == 1
    return known and deepspeed == (setup.style == "master") and not (deepspeed and not setup.zero)
