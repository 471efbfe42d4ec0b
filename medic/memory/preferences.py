"""Which kind of post-training a run is, where no setting of it says so: by the trainer whose arguments
a script makes, by the launcher's own command, or by the name of the script that it starts."""

from __future__ import annotations

from medic.facts import Launches
from medic.memory import details
from medic.memory.states import WEIGHT, Style
from medic.records import replace
from medic.run_config import Origin, RunConfig, Setting
from medic.text.patterns import regex

# TRL's classes of arguments (``trl/trainer/*_config.py``) are called after the kind; so are its commands
# (``trl dpo``) and, by custom, scripts.
_CLASS = regex(r"(?:\w+\.)*(\w+?)(?:Config|TrainingArguments|Arguments|Trainer)")
_IN_NAME = regex(
    r"(?:^|[_\-./])(dpo|ipo|kto|orpo|simpo|cpo|ppo|grpo|rloo|gkd|rm|reward)(?:[_\-.]|$)"
)
# Losses over a chosen and a rejected answer, which lie in one batch.
PAIRS = ("dpo", "ipo", "orpo", "simpo", "cpo", "rm", "reward")
# Of these a frozen copy of the model stands beside it (TRL ``dpo_trainer.py``, LLaMA-Factory
# ``trainer_utils.py`` ``create_ref_model``); of adapters the model without them is the reference.
REFERENCE = ("dpo", "ipo", "kto", "ppo")
_BYTES = {"bfloat16": 2, "bf16": 2, "float16": 2, "fp16": 2, "half": 2, "float32": 4, "fp32": 4}
# Steps of TRL and of a loop of one's own were measured.
_MEASURED = ("trl", "hf-trainer", "")


def staged(config: RunConfig, launches: Launches | None) -> RunConfig:
    """The config with its kind of post-training among the settings."""
    if details.word(config, "stage"):
        return config
    kind = _of_class(config) or _of_launch(launches)
    if not kind:
        return config
    one = Setting(("stage",), kind, Origin("derived"))
    return replace(config, settings=(*config.settings, one))


def _of_class(config: RunConfig) -> str:
    made = config.setting("_target_")
    name = _CLASS.fullmatch(str(made.value)) if made is not None else None
    kind = name[1].lower() if name is not None else ""
    return kind if kind in details.MORE_MODELS else ""


def _of_launch(launches: Launches | None) -> str:
    for launch in launches.launches if launches is not None else ():
        script = launch.script.value if launch.script is not None else None
        found = _IN_NAME.search((script or "").rpartition("/")[2])
        if found is not None:
            return found[1]
    return ""


def in_pairs(config: RunConfig) -> bool:
    """Whether a micro batch of so many samples is twice as many sequences."""
    return details.word(config, "stage") in PAIRS


def prefers(config: RunConfig) -> bool:
    """Whether it is direct preference optimisation, of which steps were measured."""
    measured = config.framework in _MEASURED and not details.rolls_out(config)
    return measured and details.word(config, "stage") in ("dpo", "ipo")


def both_logits(config: RunConfig) -> tuple[bool, bool, bool]:
    """Whether the reference's logits are made while those of the trained model wait, low, likely and
    high: so in LLaMA-Factory (``dpo/trainer.py``, ``get_batch_loss_metrics``) and in TRL before 1.14."""
    if details.word(config, "stage") not in REFERENCE:
        return False, False, False
    return False, config.framework not in _MEASURED, True


def has_reference(config: RunConfig) -> bool:
    """Whether a frozen copy of the model lies on the GPU too. verl's waits on the host under FSDP
    (``workers/fsdp_workers.py``: ``CPUOffload`` of every role but the actor)."""
    if config.integer("lora_rank") or details.has_adapters(config):
        return False
    if config.framework == "verl" and not details.megatron_actor(config):
        return False
    without = any(
        found is not None and found.value is True
        for found in map(config.setting, ("precompute_ref_log_probs", "reference_free"))
    )
    stage = details.word(config, "stage")
    # TRL ``grpo_trainer.py``, ``rloo_trainer.py``: one where the divergence from it has a weight.
    weighed = stage in ("grpo", "rloo") and details.number(config, "divergence") > 0
    return (stage in REFERENCE or weighed) and not without


def reference_bytes(config: RunConfig, style: Style) -> int:
    """Of a weight of the frozen copy: as it is loaded, else as the trained model is; 0: there is none."""
    if not has_reference(config):
        return 0
    return _BYTES.get(details.word(config, "reference_dtype").removeprefix("torch."), WEIGHT[style])
