"""Warmup that does not end before the run does."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import BY_HAND, Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted, key_number
from .numbers import constant_schedule, whole

NAME = "warmup-longer-than-run"
NEEDS = ("total_steps",)
_OLMO = "scheduler.t_warmup"
_OF_TOKENS = 10_000_000  # told by a rule
# One of the two was copied from another run, and which one is not known.
_MEANT = Text(
    "write the warmup that was meant, or the steps of the run",
    "请写入原本想用的预热步数，或改正总步数",
)


def check(config: RunConfig) -> LintResult:
    """Fires for warmup_steps >= total_steps, as litgpt and DeepSpeed warn themselves."""
    if config.framework == "olmo":
        return _olmo(config)
    if not (config.stated("warmup_steps") or config.stated("warmup_ratio")):
        return NotChecked(("warmup_steps",))
    warmup, total = whole(config, "warmup_steps", "total_steps")
    if warmup < total or not total or constant_schedule(config):
        return Passes()
    at = "warmup_steps" if config.stated("warmup_steps") else "warmup_ratio"
    return Fires(at, {"warmup": warmup, "total_steps": total, BY_HAND: _MEANT})


def _olmo(config: RunConfig) -> LintResult:
    """OLMo's schedule ends with the run where no t_max is set (train.py max_steps), in steps where
    its units are none of tokens; of those and of a t_max another check tells."""
    warmup, total = key_number(config, _OLMO), counted(config, "total_steps")
    units, end = (config.setting(f"scheduler.{name}") for name in ("units", "t_max"))
    if warmup is None or total is None:
        return NotChecked((_OLMO, "total_steps"))
    other = (units is not None and units.value == "tokens") or (end is not None and end.value)
    if other or warmup < total or warmup >= _OF_TOKENS or constant_schedule(config):
        return Passes()
    return Fires(_OLMO, {"warmup": int(warmup), "total_steps": total, BY_HAND: _MEANT})
