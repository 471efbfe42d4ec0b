"""The step at which the decay of the learning rate ends, as the framework counts it."""

from __future__ import annotations

from medic.records import dataclass
from medic.run_config import RunConfig

_LENGTH = "learning_rate_scheduler.lr_decay_steps"
_START = "learning_rate_scheduler.lr_decay_starting_step"


@dataclass(frozen=True)
class Horizon:
    """``end``: the absolute step; ``at``: the field or key that states it."""

    end: int
    at: str


def horizon(config: RunConfig) -> Horizon | None:
    """None where nobody wrote it down. nanotron's lr_decay_steps is a length that follows the
    warmup, or lr_decay_starting_step (nanotron helpers.py lr_scheduler_builder).
    """
    if "nanotron" in config.frameworks:
        length = _whole(config, _LENGTH)
        start = _whole(config, _START)
        if start is None:
            start = config.integer("warmup_steps")
        return Horizon(start + length, _LENGTH) if length and start is not None else None
    end = config.integer("decay_steps")
    stated = end is not None and config.stated("decay_steps")
    return Horizon(end, "decay_steps") if end is not None and stated else None


def _whole(config: RunConfig, key: str) -> int | None:
    setting = config.setting(key)
    value = setting.value if setting else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        return None
    return int(value)
