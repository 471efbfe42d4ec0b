"""No warmup before a high learning rate."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .learning_rates import adam_like, kind_of
from .numbers import unstated

NAME = "warmup-missing"
NEEDS = ("learning_rate",)
# Below this rate Adam's first steps do no lasting harm; where it may be LoRA, its usual top rate.
HIGH = 1e-4
HIGH_IF_UNKNOWN = 3e-4


def check(config: RunConfig) -> LintResult:
    """Fires only where somebody wrote the 0 down, and not for fine-tuning."""
    missing = unstated(config, "learning_rate")
    if missing or not (config.stated("warmup_steps") or config.stated("warmup_ratio")):
        return NotChecked(missing or ("warmup_steps",))
    rate = config.number("learning_rate") or 0.0
    warms = config.number("warmup_steps") or config.number("warmup_ratio")
    kind = kind_of(config)
    tuned = kind in ("fine-tuning", "lora") or config.get("resume_from") is not None
    high = HIGH if kind == "pretraining" else HIGH_IF_UNKNOWN
    if warms or rate <= high or tuned or not adam_like(config):
        return Passes()
    at = "warmup_steps" if config.stated("warmup_steps") else "warmup_ratio"
    return Fires(at, {"learning_rate": rate})
