"""A logged learning rate that overwrites the weights, beside a loss that is lost in the first row.

Adam moves a weight by about the rate in each step (Kingma and Ba, arXiv 1412.6980, section 2.1), and
the weights of a transformer have a spread of about 0.02 (transformers, initializer_range): where a
rate as large is logged with a loss that is no number, no precision had to fail.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.learning_rates import adam_like
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig

from .plan import source_at

CHECK = "rate-at-first-loss"
SPREAD = 0.02
# Adam with a rate that is a factor of one which it finds itself, or of a relative step.
_SCALED = ("dadapt", "prodigy", "adafactor", "relative", "mechanic", "came")


def run(look: Look) -> Iterator[Finding]:
    curve, config = look.fact(Curve), config_of(look)
    loss, series = curve.series.get("loss"), curve.series.get("learning_rate")
    if loss is None or series is None or not loss.values or math.isfinite(loss.values[0]):
        return
    if loss.steps[0] <= 1:
        return  # lost before any update, which no rate does
    optimizer = str(config.get("optimizer") or "").lower()
    if not adam_like(config) or any(word in optimizer for word in _SCALED):
        return
    index = next((n for n, step in enumerate(series.steps) if step == loss.steps[0]), None)
    if index is None or not SPREAD < series.values[index] < math.inf:
        return
    value = {"learning_rate": series.values[index], "spread": SPREAD}
    yield Finding(
        CHECK, "overwrites-weights", value=value, source=source_at(look, loss, 0), exact=True
    )


PROBE = Probe(
    name="curve-survivable-rate",
    title=Text("the rate of a loss that is lost at once", "首行即为 NaN 时的学习率"),
    tells=(CHECK,),
    needs=(Curve,),
    wants=(RunConfig,),
    seconds=0.02,
    run=run,
)
