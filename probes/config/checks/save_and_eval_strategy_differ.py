"""The best model is to be kept, but it may be evaluated at other steps than it is saved."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import MORE, RunConfig

from .models import HF_TRAINERS, counted, on, reads

NAME = "save-and-eval-strategy-differ"
NEEDS: tuple[str, ...] = ()
# Whose arguments the class itself defaults; a script with a parser of its own may default others.
_WHOLE = {"python": ("hf-trainer", "trl"), "yaml": ("llama-factory", "trl")}
_NEVER = Text('"no" (the default)', '"no"（默认值）')
_STEPS = Text('"steps" (the default)', '"steps"（默认值）')
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
    if save is None and evaluate == "no" and _saves_by_default(config):
        # the script's own class may have another default
        return Fires("load_best_model_at_end", {"save": _STEPS, "evaluate": "no", "unsure": True})
    if save in (None, "steps", "epoch") and _never_evaluates(config):
        values = {"save": save or "steps", "evaluate": _NEVER}
        return Fires("load_best_model_at_end", values)
    every, evals = counted(config, "save_interval"), counted(config, "eval_interval")
    stated = config.stated("save_interval") and config.stated("eval_interval")
    by_steps = stated and save in (None, "steps") and evaluate in (None, "steps")
    if by_steps and every is not None and evals is not None and every % evals:
        return Fires("save_interval", {"save": every, "evaluate": evals})
    known = save == evaluate == "epoch" or (save == evaluate == "steps" and stated)
    return Passes("save_strategy" if known else "")


def _saves_by_default(config: RunConfig) -> bool:
    """Whether nothing that the run may be given says when to save: by steps, then
    (transformers training_args.py save_strategy)."""
    return config.setting("save_strategy") is None and config.setting(MORE) is None


def _never_evaluates(config: RunConfig) -> bool:
    """Whether nothing of a run that is written down whole says when to evaluate: the default is
    never (transformers training_args.py eval_strategy)."""
    origin = next(s.origin for s in config.settings if s.path[-1:] == ("load_best_model_at_end",))
    said = (
        "eval_strategy",
        "evaluation_strategy",
        "evaluate_during_training",
        "save_strategy",
        MORE,
    )
    open_ = (config.setting(name) for name in said)
    unknown = [
        s for s in open_ if s is not None and (s.path[-1] != "save_strategy" or s.value is None)
    ]
    return origin.framework in _WHOLE.get(origin.syntax, ()) and not unknown


def _strategy(config: RunConfig, name: str) -> str | None:
    setting = config.setting(name)
    if setting is None and name == "eval_strategy":
        setting = config.setting("evaluation_strategy")
    return None if setting is None or setting.value is None else str(setting.value).lower()
