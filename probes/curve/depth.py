"""Whether a model is deep enough to overflow bf16 or fp32 before its first update: arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, source_of
from medic.run_config import RunConfig

CHECK = "overflow-depth"
LARGEST = 3.4e38  # of bf16 and fp32 alike
_WIDE = ("bf16", "bfloat16", "fp32", "float32", "32")


def run(look: Look) -> Iterator[Finding]:
    curve, config = look.fact(Curve), look.fact(RunConfig)
    loss, layers = curve.series.get("loss"), config.integer("num_layers")
    if loss is None or loss.steps[0] > 1 or math.isfinite(loss.values[0]) or not layers:
        return
    factor = LARGEST ** (1 / layers)
    if str(config.get("precision")).lower() not in _WIDE or factor < look.threshold("factor"):
        return
    source = source_of(config.origin("num_layers"))
    value = {"layers": layers, "factor": factor}
    yield Finding(CHECK, "shallow", value=value, source=source)


PROBE = Probe(
    name="curve-depth",
    title=Text("depth of the model against the overflow", "模型深度与溢出的关系"),
    tells=(CHECK,),
    needs=(Curve, RunConfig),
    seconds=0.01,
    run=run,
)
