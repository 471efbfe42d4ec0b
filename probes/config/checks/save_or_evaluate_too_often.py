"""Evaluations of more batches than are trained on between them."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .numbers import percent, unstated

NAME = "save-or-evaluate-too-often"
NEEDS = ("eval_interval",)
_STEPS = "gradient_accumulation_steps"
# Batches of one evaluation, as nanoGPT, Megatron-LM and scripts after them name them.
_BATCHES = ("eval_iters", "eval_batches", "val_iters", "val_batches")
# A training step is a forward and a backward, which costs two of them: 6 N of 2 N flops a token
# (Kaplan et al. 2020, section 2.1). An evaluation is a forward alone.
FORWARDS = 3
MOST = 0.5  # of the work: nobody means to evaluate more than to train
AGAIN = 3  # evaluations in the run: one or two are a trial of them


def check(config: RunConfig) -> LintResult:
    missing = unstated(config, "eval_interval")
    # nanoGPT divides this number by the processes: where those are not known, it is the most.
    every = config.integer(NEEDS[0])
    accumulated = config.integer(_STEPS) or _whole(config, _STEPS)
    if missing or not every or not accumulated or every < 1:
        return NotChecked(missing or (*NEEDS, _STEPS))
    batches = _batches(config)
    if batches is None:
        return NotChecked(_BATCHES[:1])
    total = config.integer("total_steps")
    # An iteration of Megatron's evaluation is a whole global batch: as a micro batch it is counted
    # too low, never too high.
    trained = FORWARDS * every * accumulated
    share = batches / (batches + trained)
    if share <= MOST or (total is not None and total < AGAIN * every):
        return Passes()
    values = {"batches": batches, "every": every, "share": percent(share, 1)}
    return Fires("eval_interval", values)


def _batches(config: RunConfig) -> int | None:
    return next((n for name in _BATCHES if (n := _whole(config, name)) is not None), None)


def _whole(config: RunConfig, key: str) -> int | None:
    setting = config.setting(key)
    value = setting.value if setting is not None else None
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    return None
