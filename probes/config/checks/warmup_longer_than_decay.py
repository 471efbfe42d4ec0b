"""Warmup that is not over when the decay ends."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted, key_number
from .numbers import constant_schedule, unstated

NAME = "warmup-longer-than-decay"
NEEDS: tuple[str, ...] = ()
_FRACTION = "lr_warmup_fraction"  # of the decay
_STEPS = Text(
    "warmup {warmup}, but the decay ends at {decay}", "预热 {warmup}，衰减却在 {decay} 结束"
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
    return _steps(config)


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
