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
    if batch % micro == 0:
        return _accumulated(config, batch, micro)
    return Fires("global_batch_size", {"batch": batch, "micro": micro})


def _accumulated(config: RunConfig, batch: int, micro: int) -> LintResult:
    """DeepSpeed's batch is micro x accumulation x replicas (deepspeed/runtime/config.py)."""
    origin, steps = config.origin("global_batch_size"), counted(config, _STEPS)
    enforced = origin is not None and origin.framework in ("deepspeed", "gpt-neox")
    if not enforced or not config.stated(_STEPS) or not steps or batch % (micro * steps) == 0:
        return Passes()
    return Fires("global_batch_size", {"batch": batch, "micro": _BOTH.fill(m=micro, s=steps)})
