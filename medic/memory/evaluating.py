"""The batch of an evaluation step, stated or the framework's own.

Sources: transformers ``training_args.py`` (``per_device_eval_batch_size`` 8, ``eval_strategy``
"no"), whose arguments TRL and LLaMA-Factory take; axolotl ``utils/config/__init__.py``
(``eval_batch_size`` is ``micro_batch_size``); Liger-Kernel ``transformers/model/llama.py`` (logits
are skipped in training only); TRL ``trainer/sft_trainer.py`` (the default loss, in
chunks since 1.7 and fused with the head since 1.15, never makes them: ``prediction_step`` asks for
the loss alone; before 1.4 all of them are made).
"""

from __future__ import annotations

from medic.memory import details
from medic.memory.reading import Reader
from medic.records import replace
from medic.run_config import Origin, RunConfig, Setting

KEY = "per_device_eval_batch_size"
_EIGHT = ("hf-trainer", "trl", "llama-factory")
_ON = ("steps", "epoch")


def evaluation_batch(read: Reader) -> int:
    """Sequences of an evaluation step; 0 where none is known to be made."""
    config = read.config
    stated = details.count(config, "evaluation_batch")
    axolotl = config.framework == "axolotl"
    if not stated and axolotl and _evaluates(config):
        return details.count(config, "axolotl_evaluation") or read.count("micro_batch_size") or 0
    if stated or config.framework not in _EIGHT or not _evaluates(config):
        return stated
    if details.more_models(config):
        return 0
    read.assumed[KEY] = "8"
    return 8


def keeps_no_logits(config: RunConfig) -> tuple[bool, bool, bool]:
    """Whether an evaluation step never makes all logits: low, likely and high. A loss that TRL
    computes in chunks by default does only where TRL is older."""
    cut = details.flag(config, "cut_loss") is True
    origin = config.origin("fused_loss")
    usual = origin is not None and origin.source == "default" and origin.framework == "trl"
    chunks = details.word(config, "loss_type") == "chunked_nll"
    sure = cut or chunks
    liger = details.flag(config, "liger_loss") is True
    usual = usual and config.get("fused_loss") is True and not liger
    return sure or usual, sure or usual, sure


def with_one(config: RunConfig) -> RunConfig:
    """The config with an evaluation of one sequence at a time."""
    one = Setting((KEY,), 1, Origin("given"))
    return replace(config, settings=(one, *(s for s in config.settings if s.path[-1:] != (KEY,))))


def _evaluates(config: RunConfig) -> bool:
    """Whether it is evaluated while it trains."""
    on = details.word(config, "evaluation_strategy") in _ON
    if config.framework != "axolotl":
        return on
    often = on or any(config.setting(key) for key in ("eval_steps", "evals_per_epoch"))
    share = config.setting("val_set_size")
    return often and share is not None and bool(share.value)
