"""Warmup that is not over when the decay ends."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from ..values import as_number
from .models import counted, key_number
from .numbers import constant_schedule, unstated

NAME = "warmup-longer-than-decay"
NEEDS: tuple[str, ...] = ()
_RISES = "scheduler.t_warmup"
_FRACTION = "lr_warmup_fraction"  # of the decay
_STEPS = Text(
    "warmup {warmup}, but the decay ends at {decay}", "预热 {warmup}，衰减却在 {decay} 结束"
)
_DROPS = Text(
    "the rate only rises, and falls to its lowest at once when the warmup is over",
    "学习率一直上升，预热一结束就直接落到最低值",
)
_SHARE = Text("warmup is {share} of the decay", "预热是衰减长度的 {share} 倍")


def check(config: RunConfig) -> LintResult:
    """Megatron-LM optimizer_param_scheduler.py asserts warmup < decay, in steps or samples; nanoGPT
    train.py asserts the ratio mid-run. The end of the decay is counted from the first step there.
    """
    megatron = config.framework == "megatron"
    share = key_number(config, _FRACTION)
    if megatron and share is not None:
        return Passes() if share < 1 else Fires(_FRACTION, {"what": _SHARE.fill(share=share)})
    warmup, decay = (key_number(config, f"lr_{n}_samples") for n in ("warmup", "decay"))
    if megatron and warmup is not None and decay is not None:
        what = _STEPS.fill(warmup=int(warmup), decay=int(decay))
        return Passes() if warmup < decay else Fires("lr_warmup_samples", {"what": what})
    return _olmo(config) if config.framework == "olmo" else _steps(config)


def _olmo(config: RunConfig) -> LintResult:
    """OLMo optim.py CosWithWarmup: the rate rises until t_warmup and falls until t_max, both in the
    scheduler's own units; past t_max it is the lowest."""
    warmup, end = (key_number(config, f"scheduler.{name}") for name in ("t_warmup", "t_max"))
    end = end if end is not None else _tokens(config)
    if warmup is None or end is None:
        return NotChecked(("scheduler.t_warmup", "scheduler.t_max"))
    if warmup < end or not end:
        return Passes()
    what = _STEPS.fill(warmup=int(warmup), decay=int(end))
    return Fires(_RISES, {"what": what, "unsure": True, "then": _DROPS})


def _tokens(config: RunConfig) -> float | None:
    """The length of the run in tokens (``max_duration: 5e12T``), where the schedule counts them."""
    length, units = config.setting("max_duration"), config.setting("scheduler.units")
    if length is None or units is None or units.value != "tokens":
        return None
    text = str(length.value)
    return as_number(text.removesuffix("T")) if text.endswith("T") else None


def _steps(config: RunConfig) -> LintResult:
    missing = unstated(config, "warmup_steps", "decay_steps")
    warmup, decay = config.integer("warmup_steps"), counted(config, "decay_steps")
    if missing or warmup is None or decay is None:
        return NotChecked(missing or ("warmup_steps", "decay_steps"))
    total = counted(config, "total_steps")
    longer = total is not None and warmup >= total  # told by its own check
    if warmup < decay or longer or constant_schedule(config):
        return Passes()
    return Fires("warmup_steps", {"what": _STEPS.fill(warmup=warmup, decay=decay)})
