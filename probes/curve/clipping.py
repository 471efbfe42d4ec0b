"""The share of steps whose gradients were clipped, early and late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from medic.facts import Curve
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from . import needs
from .numbers import clean
from .plan import source_at

MIN_POINTS = 30
RISE = 0.3
HIGH = 0.5


def run(look: Look) -> Iterator[Any]:
    series = look.fact(Curve).series.get("grad_norm")
    clip = look.fact(RunConfig).number("gradient_clip")
    if series is None or not clip or len(series.steps) < MIN_POINTS:
        yield Skip(needs.NORMS_AND_CLIP, check="gradient-clipping-rises")
        return
    steps, values, _ = clean(series)
    third = len(values) // 3
    early, late = (
        sum(v > clip for v in part) / third for part in (values[:third], values[-third:])
    )
    present = late >= HIGH and late - early >= RISE
    value = {"early": f"{early:.0%}", "late": f"{late:.0%}", "clip": clip, "step": steps[-1]}
    outcome = "present" if present else "absent"
    source = source_at(look, series, len(series.steps) - 1)
    yield Finding("gradient-clipping-rises", outcome, value=value, source=source)


PROBE = Probe(
    name="curve-clipping",
    tells=("gradient-clipping-rises",),
    needs=(Curve, RunConfig),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
