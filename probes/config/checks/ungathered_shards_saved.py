"""ZeRO-3 that does not gather the weights as it saves the model."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import on
from .numbers import unstated

NAME = "ungathered-shards-saved"
NEEDS = ("zero_stage",)
# DeepSpeed takes a field by its alias (stage3_...) or by its own name.
_GATHER = (
    "stage3_gather_16bit_weights_on_model_save", "gather_16bit_weights_on_model_save",
    "stage3_gather_fp16_weights_on_model_save", "zero3_save_16bit_model",
)  # fmt: skip
# OpenRLHF's save_model gathers each parameter itself; Lightning keeps DeepSpeed's own folder.
_SAVES_OTHERWISE = frozenset({"openrlhf", "lightning"})


def check(config: RunConfig) -> LintResult:
    """False by default (deepspeed/runtime/zero/config.py); accelerate's zero3_save_16bit_model."""
    missing = unstated(config, "zero_stage")
    if missing:
        return NotChecked(missing)
    if not _SAVES_OTHERWISE.isdisjoint(config.frameworks):
        return Passes()
    if config.integer("zero_stage") != 3 or config.get("lora_rank"):
        return Passes()
    if any(config.setting(name) is not None and _gathers(config, name) for name in _GATHER):
        return Passes()
    return Fires("zero_stage")


def _gathers(config: RunConfig, name: str) -> bool:
    """On, or filled in by the trainer."""
    setting = config.setting(name)
    return on(setting) or (setting is not None and str(setting.value).lower() == "auto")
