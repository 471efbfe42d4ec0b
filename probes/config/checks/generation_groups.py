"""Completions of one generation step that are no whole groups of answers to a prompt."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import reads

_GROUP, _TOTAL, _STEPS = "num_generations", "generation_batch_size", "steps_per_generation"

_UNEVEN = Text(
    "generation_batch_size {total} is not divisible by {micro} x {ranks} processes",
    "generation_batch_size {total} 不能被 {micro} x {ranks} 个进程整除",
)
_GROUPS = Text(
    "{total} completions ({micro} x {ranks} processes x {steps} steps) are not divisible by "
    "num_generations {group}",
    "{total} 条回答（{micro} x {ranks} 个进程 x {steps} 步）不能被 num_generations {group} 整除",
)
_STATED = Text(
    "generation_batch_size {total} is not divisible by num_generations {group}",
    "generation_batch_size {total} 不能被 num_generations {group} 整除",
)
# ms-swift hands its arguments to TRL's configuration.
_READERS = frozenset(("trl", "ms-swift"))
_EVAL, _EVAL_DEFAULT = "per_device_eval_batch_size", 8
_EVALUATED = Text(
    "evaluation: {micro} x {ranks} processes are not divisible by num_generations {group}",
    "评估：{micro} x {ranks} 个进程不能被 num_generations {group} 整除",
)


def generation_groups(config: RunConfig) -> LintResult:
    """trl trainer/grpo_config.py GRPOConfig.__post_init__ (0.19 to 1.0)."""
    result = _training(config)
    fires = _evaluation(config) if isinstance(result, Passes) else None
    return fires or result


def _evaluation(config: RunConfig) -> Fires | None:
    """The prompts of one evaluation step, where the run evaluates."""
    strategy = config.setting("eval_strategy")
    group = _number(config, f"{_GROUP}_eval") or _number(config, _GROUP)
    ranks, micro = config.integer("world_size"), _number(config, _EVAL) or _EVAL_DEFAULT
    off = strategy is None or strategy.value in (None, False, "no")
    if off or not group or not ranks or (micro * ranks) % group == 0:
        return None
    at = _EVAL if config.setting(_EVAL) else _GROUP
    return Fires(at, {"what": _EVALUATED.fill(micro=micro, ranks=ranks, group=group)})


def _training(config: RunConfig) -> LintResult:
    group, total = _number(config, _GROUP), _number(config, _TOTAL)
    if not reads(config, _READERS) or not group:
        return NotChecked((_GROUP,))
    if total and total % group:
        return Fires(_TOTAL, {"what": _STATED.fill(total=total, group=group)})
    micro, ranks = config.integer("micro_batch_size"), config.integer("world_size")
    if not micro or not ranks:
        return NotChecked(("world_size",))
    values = {"micro": micro, "ranks": ranks, "group": group}
    if total:
        uneven = total % (micro * ranks)
        return (
            Fires(_TOTAL, {"what": _UNEVEN.fill({**values, "total": total})})
            if uneven
            else Passes()
        )
    steps = _number(config, _STEPS) or config.integer("gradient_accumulation_steps")
    if not steps:
        return NotChecked(("gradient_accumulation_steps",))
    total = micro * ranks * steps
    if total % group == 0:
        return Passes()
    return Fires(_GROUP, {"what": _GROUPS.fill({**values, "total": total, "steps": steps})})


def _number(config: RunConfig, key: str) -> int | None:
    setting = config.setting(key)
    value = setting.value if setting is not None else None
    whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)
    return int(value) if whole else None  # type: ignore[arg-type]
