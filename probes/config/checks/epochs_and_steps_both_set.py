"""Epochs and a number of steps, of which one rules."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import HF_TRAINERS, counted, label, reads

NAME = "epochs-and-steps-both-set"
NEEDS: tuple[str, ...] = ()
_OVERRIDING = Text("a framework in which steps override epochs", "以步数覆盖轮数的框架")


def check(config: RunConfig) -> LintResult:
    """max_steps overrides num_train_epochs (transformers training_args.py)."""
    if not reads(config, HF_TRAINERS):
        return NotChecked((_OVERRIDING,))
    if not (config.stated("epochs") or config.stated("total_steps")):
        return NotChecked(("epochs", "total_steps"))
    steps = counted(config, "total_steps") if config.stated("total_steps") else None
    if steps is None or not config.stated("epochs"):
        return Passes()
    values = {
        "key": label(config, "epochs"), "epochs": config.get("epochs"),
        "other": label(config, "total_steps"), "steps": steps,
    }  # fmt: skip
    return Fires("epochs", values)
