"""A run that is configured to write no checkpoint at all."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import NOBODYS, RunConfig
from medic.text.patterns import regex

from .models import HF_TRAINERS, counted
from .no_checkpoint_during_run import LONG
from .rollout_layout import is_verl_rl, number

NAME = "checkpoints-never-saved"
NEEDS: tuple[str, ...] = ()
_SAVE_FREQ = "trainer.save_freq"
# The folder of verl's own trainers, in a checkout as in an installation.
_BASES = regex(r"(?:^|/)verl/trainer/config/")
# The model that they name until a command names another one.
_PLACEHOLDER = "~/models/deepseek-llm-7b-chat"
_VERL = Text(
    "trainer.save_freq {interval}: verl writes no checkpoint, not even the last",
    "trainer.save_freq 为 {interval}：verl 不保存任何 checkpoint，训练结束时也不保存",
)
_NONE = Text(
    "{key} 0: no checkpoint is saved on the way", "{key} 为 0：训练途中不保存任何 checkpoint"
)
_STRATEGY = Text(
    "save_strategy {value}: no checkpoint is saved before the run ends",
    "save_strategy 为 {value}：训练结束前不保存任何 checkpoint",
)
_BEYOND = Text(
    "{key} {every} in a run of {total} steps, without save_final_state: no checkpoint is saved",
    "训练共 {total} 步，{key} 却为 {every}，又未开启 save_final_state：不会保存任何 checkpoint",
)
_NEVER = ("no", "false")
_OLMO = Text(
    "save_num_checkpoints_to_keep 0 saves no sharded checkpoint, and no other kind has an interval",
    "save_num_checkpoints_to_keep 为 0 时不保存分片检查点，其他类型也没有设置间隔",
)


def check(config: RunConfig) -> LintResult:
    """verl trainer/ppo/ray_trainer.py fit: saved only if save_freq > 0, the last step included;
    OLMo train.py fit.
    """
    if is_verl_rl(config):
        return _verl(config)
    if "olmo" in config.frameworks and config.setting("save_num_checkpoints_to_keep"):
        return _olmo(config)
    return _interval(config)


def _interval(config: RunConfig) -> LintResult:
    """An interval of 0, where a strategy does not say that steps do not count: transformers
    trainer_callback.py DefaultFlowCallback, Megatron-LM training.py, litgpt pretrain.py.
    """
    strategy = config.setting("save_strategy")
    never = strategy is not None and str(strategy.value).lower() in _NEVER
    if strategy is not None and never and not config.stated("save_interval") and _is_long(config):
        shown = "no" if strategy.value is False else strategy.value
        return Fires("save_strategy", {"what": _STRATEGY.fill(value=shown), "grave": False})
    if not config.stated("save_interval"):
        return NotChecked(("save_interval",))
    if (beyond := _beyond_the_end(config)) is not None:
        return beyond
    by_steps = strategy is None or strategy.value == "steps"
    origin = config.origin("save_interval")
    if config.number("save_interval") or not by_steps or origin is None:
        return Passes()
    if origin.framework in NOBODYS:
        return Passes()
    return Fires("save_interval", {"what": _NONE.fill(key=origin.key), "grave": True})


def _beyond_the_end(config: RunConfig) -> Fires | None:
    """nanotron saves at the interval, and at the end with save_final_state alone (trainer.py)."""
    final, origin = config.setting("save_final_state"), config.origin("save_interval")
    every, total = counted(config, "save_interval"), counted(config, "total_steps")
    if final is None or final.value is not False or origin is None or not every or not total:
        return None
    what = _BEYOND.fill(key=origin.key, every=every, total=total)
    return Fires("save_interval", {"what": what, "grave": True}) if every > total else None


def _is_long(config: RunConfig) -> bool:
    """Of a run of the Trainer that is known to have more steps than anybody wants to lose: who writes it
    for a short one means it, and the model is saved at the end."""
    return config.framework in HF_TRAINERS and (counted(config, "total_steps") or 0) >= LONG


def _verl(config: RunConfig) -> LintResult:
    interval = number(config, _SAVE_FREQ)
    if interval is None or _is_base(config):
        return NotChecked((_SAVE_FREQ,))
    if interval > 0:
        return Passes()
    # -1 is verl's own word for never: who writes it down means it, as its examples do.
    return Fires(_SAVE_FREQ, {"what": _VERL.fill(interval=interval), "grave": interval == 0})


def _is_base(config: RunConfig) -> bool:
    """Whether the interval is that of a base, which a command completes, and not of the run: its
    file composes others (Hydra's ``defaults``, which the resolved file of a run no longer has),
    or is one of those that verl brings.
    """
    saves = config.setting(_SAVE_FREQ)
    if saves is None or saves.origin.span is None:
        return False
    file = saves.origin.span.file
    composed = any(
        s.path == ("defaults",) and s.origin.span is not None and s.origin.span.file == file
        for s in config.settings
    )
    model = config.setting("actor_rollout_ref.model.path")
    unnamed = model is not None and model.value == _PLACEHOLDER
    return composed or unnamed or _BASES.search(file) is not None


def _olmo(config: RunConfig) -> LintResult:
    """Keeping no sharded checkpoint switches saving them off, the final one included."""
    keep = config.setting("save_num_checkpoints_to_keep")
    if keep is None:
        return NotChecked(("save_num_checkpoints_to_keep",))
    others = ("save_interval_unsharded", "save_interval_ephemeral")
    found = [config.setting(key) for key in others]
    if keep.value != 0 or any(s is not None and s.value is not None for s in found):
        return Passes()
    return Fires("save_num_checkpoints_to_keep", {"what": _OLMO, "grave": True})
