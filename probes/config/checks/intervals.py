"""Intervals against the length of the run."""

from __future__ import annotations

from medic.probe import Fires, LintResult, NotChecked, Passes
from medic.run_config import RunConfig

from .models import counted, size
from .numbers import unstated

_OFF = ("no", "none", "epoch", "false")


def beyond_run(config: RunConfig, interval: str, strategies: tuple[str, ...]) -> LintResult:
    """Fires if the interval is longer than the run. Not where one of ``strategies`` is a key that
    says that steps do not count. Below 1 an interval is a share of the run (transformers).
    """
    missing = unstated(config, interval)
    every, total = config.number(interval), counted(config, "total_steps")
    if missing or every is None or total is None:
        return NotChecked(missing or ("total_steps",))
    settings = (config.setting(name) for name in strategies)
    if any(s is not None and str(s.value).lower() in _OFF for s in settings):
        return Passes()
    if every <= total * _batches_per_step(config, interval):
        return Passes()
    return Fires(interval, {"every": int(every), "total": total})


def _batches_per_step(config: RunConfig, interval: str) -> int:
    """Lightning's val_check_interval counts batches, not optimizer steps."""
    origin = config.origin(interval)
    batches = origin is not None and origin.key.endswith("val_check_interval")
    batches = batches and config.framework != "nanotron"  # whose steps are the optimizer's
    return size(config, "gradient_accumulation_steps") if batches else 1
