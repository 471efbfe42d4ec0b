"""Whether a schedule ran through in a fraction of the run that the settings explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Source
from medic.i18n import Text
from medic.probe import Finding, Look
from medic.run_config import RunConfig

from .plan import Plan

CHECK = "scheduler-calls"
NEARLY = 0.93  # of a cosine: from there on it stands at its floor
_FACTORS = (
    ("gradient_accumulation_steps", Text("gradient accumulation steps", "梯度累积步数")),
    ("world_size", Text("processes", "进程数")),
)


def judge(
    look: Look, steps: Sequence[int], at: int, plan: Plan, source: Source
) -> Iterator[Finding]:
    """``at``: index of the first step at the floor. The schedule ended between it and the step
    logged before; the length of the run over a number of the settings must lie there."""
    if plan.steps is None or at == 0 or not look.has(RunConfig):
        return
    config = look.fact(RunConfig)
    for field, name in _FACTORS:
        factor = config.integer(field)
        if factor is None or factor < 2:
            continue
        end = plan.steps / factor
        if NEARLY * end <= steps[at] and steps[at - 1] <= end:
            value = {"step": steps[at], "total": plan.steps, "factor": factor, "what": name}
            yield Finding(CHECK, "more-than-once", value=value, source=source)
            return
