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
    "usual",
]

# A rate is called unusual only this far above, or below, everything published for the size.
FAR_ABOVE = 5.0
FAR_BELOW = 20.0


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
