"""Completions of one generation step that are no whole groups of answers to a prompt."""

from __future__ import annotations

from math import gcd

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import on, reads

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
_WHATEVER_RANKS = Text(
    "{total} completions a process ({micro} x {steps} steps) make whole groups of num_generations "
    "{group} only with a multiple of {ranks} processes",
    "每个进程 {total} 条回答（{micro} x {steps} 步），只有进程数是 {ranks} 的倍数时才能凑成 "
    "num_generations {group} 的整组",
)
# Ranks come as 1, 2, 4, 6 and 8 a node and their multiples: three nodes, or 6 GPUs, are not rare.
_RARE = 5
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
    steps = _number(config, _STEPS) or config.integer("gradient_accumulation_steps")
    if micro and steps and not ranks and not total:
        return _whatever_ranks(config, micro, steps, group)
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
    if not steps:
        return NotChecked(("gradient_accumulation_steps",))
    total = micro * ranks * steps
    if total % group == 0:
        return Passes()
    return Fires(_GROUP, {"what": _GROUPS.fill({**values, "total": total, "steps": steps})})


def _whatever_ranks(config: RunConfig, micro: int, steps: int, group: int) -> LintResult:
    """A group that no usual number of processes fills. GPUs that a server of vLLM takes leave odd
    numbers of them, so that nothing is told of a run that has one."""
    served = on(config.setting("use_vllm"))
    mode = config.setting("vllm_mode")
    beside = served and (mode is None or mode.value != "colocate")
    wanted = group // gcd(group, micro * steps)
    odd = wanted // (wanted & -wanted)
    if beside or odd < _RARE or not config.stated("micro_batch_size"):
        return NotChecked(("world_size",))
    values = {"total": micro * steps, "micro": micro, "steps": steps, "group": group}
    what = _WHATEVER_RANKS.fill({**values, "ranks": wanted})
    return Fires(_GROUP, {"what": what, "supposed": True})


def _number(config: RunConfig, key: str) -> int | None:
    setting = config.setting(key)
    value = setting.value if setting is not None else None
    whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)
    return int(value) if whole else None  # type: ignore[arg-type]
