"""The share of steps whose gradients were clipped, early and late."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve, Source
from medic.probe import Finding, Look, Probe, Skip
from medic.records import dataclass
from medic.run_config import RunConfig

from . import needs
from .numbers import clean, median
from .plan import source_at

RATIO, RISES = "clip-ratio", "gradient-clipping-rises"
CARRIES = "gradient-norm-carries-scale"
MIN_POINTS = 30
FEW = 5
RISE = 0.3
HIGH = 0.5
MIN_SCALE = 256.0
BEYOND = 500.0  # times the clip: no gradient is clipped so hard for a whole run
USUAL = 1e-3, 30.0  # norms of gradients without a scale
CRUSHED = 1e4  # times the clip: what is left of the gradient nears Adam's epsilon


@dataclass(frozen=True)
class _Norms:
    """The finite norms with their median and the clip; ``scale``: the median of the logged loss
    scale, None where none is logged."""

    values: list[float]
    norm: float
    clip: float
    scale: float | None
    step: int
    source: Source


def run(look: Look) -> Iterator[Finding | Skip]:
    found = _norms(look)
    if (zero := _zero(look)) is not None:
        yield zero
    elif found is None or len(found.values) < FEW:
        yield Skip(needs.NORMS_AND_CLIP, check=RATIO)
    else:
        yield _ratio(found)
    if found is None or len(found.values) < MIN_POINTS:
        yield Skip(needs.NORMS_AND_CLIP, check=RISES)
        return
    if found.scale is not None:
        yield _scaled(found, found.scale)
    yield _rises(found)


def _zero(look: Look) -> Finding | None:
    """Of a script that nobody knows: whether 0 is off depends on its code."""
    config = look.fact(RunConfig)
    origin = config.origin("gradient_clip")
    if config.number("gradient_clip") != 0 or origin is None or not config.nobodys:
        return None
    source = Source(origin.span.file, origin.span.line) if origin.span else Source()
    return Finding(RATIO, "clip-of-zero", source=source)


def _norms(look: Look) -> _Norms | None:
    """None where no norm is finite or the clip is not known."""
    curve = look.fact(Curve)
    series, scales = curve.series.get("grad_norm"), curve.series.get("loss_scale")
    clip = look.fact(RunConfig).number("gradient_clip")
    steps, values, _ = clean(series) if series is not None else ([], [], [])
    if series is None or not clip or not values:
        return None
    scale = median(scales.values) if scales is not None else math.nan
    last = max(n for n, value in enumerate(series.values) if math.isfinite(value))
    return _Norms(
        values=values,
        norm=median(values),
        clip=clip,
        scale=scale if math.isfinite(scale) else None,
        step=steps[-1],
        source=source_at(look, series, last),
    )


def _rises(found: _Norms) -> Finding:
    third = len(found.values) // 3
    early, late = (
        sum(v > found.clip for v in part) / third
        for part in (found.values[:third], found.values[-third:])
    )
    present = late >= HIGH and late - early >= RISE
    value = {"early": f"{early:.0%}", "late": f"{late:.0%}", "clip": found.clip, "step": found.step}
    return Finding(RISES, "present" if present else "absent", value=value, source=found.source)


def _scaled(found: _Norms, scale: float) -> Finding:
    """Whether the norms are of gradients that a logged loss scale still multiplies: far beyond the
    clip, and usual without the scale."""
    norm, clip = found.norm, found.clip
    usual = USUAL[0] <= norm / max(scale, 1.0) <= USUAL[1]
    if scale < MIN_SCALE or norm < BEYOND * clip or not usual:
        return Finding(CARRIES, "absent")
    value = {"norm": norm, "scale": scale, "ratio": norm / scale, "clip": clip, "step": found.step}
    return Finding(CARRIES, value=value, source=found.source)


def _ratio(found: _Norms) -> Finding | Skip:
    """How far the norms lie above the clip. Where a loss scale alone might make them so large, it
    is not told."""
    without = found.norm / max(found.scale or 1.0, 1.0)
    crushed = found.norm > CRUSHED * found.clip
    if crushed and without <= CRUSHED * found.clip:
        return Skip(needs.UNSCALED_NORMS, check=RATIO)
    value = {"norm": found.norm, "clip": found.clip, "step": found.step}
    return Finding(RATIO, "far-beyond" if crushed else "usual", value=value, source=found.source)


PROBE = Probe(
    name="curve-clipping",
    tells=(RISES, CARRIES, RATIO),
    needs=(Curve, RunConfig),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
