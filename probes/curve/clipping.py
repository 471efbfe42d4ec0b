"""The share of steps whose gradients were clipped, early and late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from medic.facts import Curve, Series
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from . import needs
from .numbers import clean, median
from .plan import source_at

MIN_POINTS = 30
FEW = 5
RISE = 0.3
HIGH = 0.5
MIN_SCALE = 256.0
BEYOND = 500.0  # times the clip: no gradient is clipped so hard for a whole run
USUAL = 1e-3, 30.0  # norms of gradients without a scale
CRUSHED = 1e4  # times the clip: what is left of the gradient nears Adam's epsilon
RATIO = "clip-ratio"


def run(look: Look) -> Iterator[Any]:
    series = look.fact(Curve).series.get("grad_norm")
    clip = look.fact(RunConfig).number("gradient_clip")
    if series is not None and clip and len(series.steps) >= FEW:
        yield _ratio(look, series, clip)
    if series is None or not clip or len(series.steps) < MIN_POINTS:
        yield Skip(needs.NORMS_AND_CLIP, check="gradient-clipping-rises")
        return
    yield from _scaled(look, series, clip)
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


def _scaled(look: Look, series: Series, clip: float) -> Iterator[Finding]:
    """Whether the norms are of gradients that a logged loss scale still multiplies: far beyond the
    clip, and usual without the scale."""
    scales = look.fact(Curve).series.get("loss_scale")
    if scales is None:
        return
    steps, norms, _ = clean(series)
    norm, scale = median(norms), median(clean(scales)[1])
    usual = USUAL[0] <= norm / max(scale, 1.0) <= USUAL[1]
    if scale < MIN_SCALE or norm < BEYOND * clip or not usual:
        yield Finding("gradient-norm-carries-scale", "absent")
        return
    value = {"norm": norm, "scale": scale, "ratio": norm / scale, "clip": clip, "step": steps[-1]}
    source = source_at(look, series, len(series.steps) - 1)
    yield Finding("gradient-norm-carries-scale", value=value, source=source)


def _ratio(look: Look, series: Series, clip: float) -> Finding:
    """How far the norms lie above the clip; a loss scale in them is told above."""
    steps, norms, _ = clean(series)
    norm = median(norms)
    scales = look.fact(Curve).series.get("loss_scale")
    carried = scales is not None and median(clean(scales)[1]) > 1.0
    crushed = norm > CRUSHED * clip and not carried
    value = {"norm": norm, "clip": clip, "step": steps[-1] if steps else 0}
    source = source_at(look, series, len(series.steps) - 1)
    return Finding(RATIO, "far-beyond" if crushed else "usual", value=value, source=source)


PROBE = Probe(
    name="curve-clipping",
    tells=("gradient-clipping-rises", "gradient-norm-carries-scale", RATIO),
    needs=(Curve, RunConfig),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
