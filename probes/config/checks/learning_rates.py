"""When a peak learning rate is unusual for the size and kind of training, and how that is said."""

from __future__ import annotations

from medic.i18n import Text
from medic.learning_rates import Range, adam_like, kind_of, parameters, usual
from medic.run_config import RunConfig

from .numbers import sized

__all__ = [
    "FAR_ABOVE",
    "FAR_BELOW",
    "Range",
    "adam_like",
    "kind_of",
    "parameters",
    "placeholders",
    "survivable",
    "usual",
]

# A rate is called unusual only this far above, or below, everything published for the size.
FAR_ABOVE = 5.0
FAR_BELOW = 20.0
# Five times the usual spread of a transformer's weights: one step of Adam overwrites them.
_SURVIVABLE = 0.1
# Adam with a rate that is a factor of one which it finds itself, or of a relative step.
_SCALED = ("dadapt", "prodigy", "adafactor", "relative", "mechanic", "came")


def survivable(config: RunConfig) -> float | None:
    """Where a rate of Adam ends all learning; None if the optimizer is not known to be Adam."""
    optimizer = str(config.get("optimizer") or "").lower()
    if not optimizer and config.nobodys:
        return None
    scaled = any(word in optimizer for word in _SCALED)
    return _SURVIVABLE if adam_like(config) and not scaled else None


def placeholders(config: RunConfig, found: Range) -> dict[str, object]:
    size = parameters(config)
    shown = Text("a model of a size that is not stated", "规模未写明的模型")
    if size:
        shown = Text("{n} parameters", "{n} 参数的模型").fill(n=sized(size))
    return {
        "learning_rate": config.number("learning_rate"),
        "low": found.low,
        "high": found.high,
        "parameters": shown,
    }
