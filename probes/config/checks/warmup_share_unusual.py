"""Warmup that takes an unusual share of the run."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted
from .numbers import constant_schedule, percent, unstated

NAME = "warmup-share-unusual"
NEEDS: tuple[str, ...] = ()
# Published runs: 0.1-1% of a pretraining, 3-10% of a fine-tuning.
LOW, HIGH = 0.001, 0.1
QUARTER, UNTUNED, BETA = 0.25, 2.0, 0.999
_LONG = Text("steps are lost at a low rate", "大量步数处于低学习率")
_SHORT = Text("the first updates may be too large", "最初的更新可能过大")


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "warmup_steps"), unstated(config, "warmup_ratio")
    if all(missing):
        return NotChecked(("warmup_steps",))
    share, at = _share(config)
    if share is None:
        return NotChecked(("total_steps",))
    if share <= 0 or LOW <= share <= HIGH * 1.0001 or share >= 1 or constant_schedule(config):
        return Passes()  # none at all, or all of the run: told by their own checks
    if HIGH < share <= QUARTER and _is_short(config, share):
        return Passes()
    effect = _LONG if share > HIGH else _SHORT
    return Fires(at, {"share": percent(share, 1), "effect": effect})


def _is_short(config: RunConfig, share: float) -> bool:
    """Whether the warmup has no more steps than the rule for Adam gives it, 2 / (1 - beta2) (arXiv
    1910.04209): of a short run that is a large share."""
    total = counted(config, "total_steps")
    beta = config.number("adam_beta2") or BETA
    return total is not None and 0 < beta < 1 and share * total <= UNTUNED / (1 - beta)


def _share(config: RunConfig) -> tuple[float | None, str]:
    ratio = config.number("warmup_ratio")
    if config.stated("warmup_ratio") and ratio is not None:
        return ratio, "warmup_ratio"
    steps, total = config.number("warmup_steps"), counted(config, "total_steps")
    return (None if steps is None or total is None else steps / total), "warmup_steps"
