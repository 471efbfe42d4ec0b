"""A global batch that whole micro batches cannot make up on any number of replicas."""

from __future__ import annotations

from medic.i18n import Text
from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted
from .numbers import unstated

NAME = "global-batch-not-multiple-of-micro"
NEEDS = ("global_batch_size", "micro_batch_size")
_STEPS = "gradient_accumulation_steps"
_ONE = Text("{above} is", "{above} 可以")
_TWO = Text("{below} and {above} are", "{below} 和 {above} 可以")
_BOTH = Text("{m} x {s} (x accumulation steps)", "{m} x {s}（乘以梯度累积步数）")


def check(config: RunConfig) -> LintResult:
    """As ``batch-not-divisible``, which tells it where the replicas are known."""
    missing = unstated(config, *NEEDS)
    batch, micro = counted(config, "global_batch_size"), counted(config, "micro_batch_size")
    if missing or batch is None or micro is None:
        return NotChecked(missing or NEEDS)
    ragged = "olmo" in config.frameworks  # its last micro batch may be smaller
    if ragged or config.get("data_parallel_size") is not None:
        return Passes()
    steps = _accumulation(config)
    if batch % (micro * steps) == 0:
        return Passes()
    unit = _BOTH.fill(m=micro, s=steps) if steps > 1 else micro
    values = {"batch": batch, "micro": unit, "near": _near(batch, micro * steps)}
    return Fires("global_batch_size", values)


def _near(batch: int, unit: int) -> Text:
    """The multiples below and above."""
    below, above = batch // unit * unit, -(-batch // unit) * unit
    return (_ONE if not below else _TWO).fill(below=below, above=above)


def _accumulation(config: RunConfig) -> int:
    """The steps that count, else 1: DeepSpeed's batch is micro x accumulation x replicas
    (deepspeed/runtime/config.py)."""
    origin, steps = config.origin("global_batch_size"), counted(config, _STEPS)
    enforced = origin is not None and origin.framework in ("deepspeed", "gpt-neox")
    return steps if enforced and config.stated(_STEPS) and steps else 1
