"""The best model is to be kept, but it may be evaluated at other steps than it is saved."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import HF_TRAINERS, counted, on, reads

NAME = "save-and-eval-strategy-differ"
NEEDS: tuple[str, ...] = ()
_TRAINER = Text("a trainer of transformers", "transformers 的 Trainer")


def check(config: RunConfig) -> LintResult:
    """transformers training_args.py __post_init__: equal strategies; by steps, saving steps are a
    multiple of evaluation steps.
    """
    if not reads(config, HF_TRAINERS):
        return NotChecked((_TRAINER,))
    if not on(config.setting("load_best_model_at_end")):
        return Passes()
    save, evaluate = _strategy(config, "save_strategy"), _strategy(config, "eval_strategy")
    if save == "best":
        return Passes()
    if save is not None and evaluate is not None and save != evaluate:
        return Fires("save_strategy", {"save": save, "evaluate": evaluate})
    every, evals = counted(config, "save_interval"), counted(config, "eval_interval")
    stated = config.stated("save_interval") and config.stated("eval_interval")
    by_steps = stated and save in (None, "steps") and evaluate in (None, "steps")
    if by_steps and every is not None and evals is not None and every % evals:
        return Fires("save_interval", {"save": every, "evaluate": evals})
    return Passes()


def _strategy(config: RunConfig, name: str) -> str | None:
    setting = config.setting(name)
    if setting is None and name == "eval_strategy":
        setting = config.setting("evaluation_strategy")
    return None if setting is None or setting.value is None else str(setting.value).lower()
