"""Warmup that does not end before the run does."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import BY_HAND, Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import constant_schedule, whole

NAME = "warmup-longer-than-run"
NEEDS = ("warmup_steps", "total_steps")
# One of the two was copied from another run, and which one is not known.
_MEANT = Text(
    "write the warmup that was meant, or the steps of the run",
    "请写入原本想用的预热步数，或改正总步数",
)


def check(config: RunConfig) -> LintResult:
    """Fires for warmup_steps >= total_steps, as litgpt and DeepSpeed warn themselves."""
    if not (config.stated("warmup_steps") or config.stated("warmup_ratio")):
        return NotChecked(("warmup_steps",))
    warmup, total = whole(config, *NEEDS)
    if warmup < total or not total or constant_schedule(config):
        return Passes()
    at = "warmup_steps" if config.stated("warmup_steps") else "warmup_ratio"
    return Fires(at, {"warmup": warmup, "total_steps": total, BY_HAND: _MEANT})
