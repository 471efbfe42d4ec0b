"""The share of steps whose gradients were clipped, early and late."""

from __future__ import annotations

import math
from collections.abc import Iterator

from medic.facts import Curve, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.records import dataclass
from medic.run_config import RunConfig

from . import needs
from .numbers import clean, median
from .plan import source_at

RISES = "gradient-clipping-rises"
MIN_POINTS = 30
RISE = 0.3
HIGH = 0.5


@dataclass(frozen=True)
class Norms:
    """The finite norms with their median and the clip; ``scale``: the median of the logged loss
    scale, None where none is logged. The first ``warm`` are of the warmup, in which norms grow by
    design."""

    values: list[float]
    norm: float
    clip: float
    scale: float | None
    step: int
    source: Source
    warm: int = 0


def run(look: Look) -> Iterator[Finding | Skip]:
    found = norms_of(look)
    if found is None or len(found.values) - found.warm < MIN_POINTS:
        yield Skip(needs.NORMS_AND_CLIP, check=RISES)
        return
    yield _rises(found)


def norms_of(look: Look) -> Norms | None:
    """None where no norm is finite or the clip is not known."""
    curve = look.fact(Curve)
    series, scales = curve.series.get("grad_norm"), curve.series.get("loss_scale")
    clip = look.fact(RunConfig).number("gradient_clip")
    warmup = look.fact(RunConfig).number("warmup_steps") or 0
    steps, values, _ = clean(series) if series is not None else ([], [], [])
    if series is None or not clip or not values:
        return None
    scale = median(scales.values) if scales is not None else math.nan
    last = max(n for n, value in enumerate(series.values) if math.isfinite(value))
    return Norms(
        values=values,
        norm=median(values),
        clip=clip,
        scale=scale if math.isfinite(scale) else None,
        step=steps[-1],
        source=source_at(look, series, last),
        warm=sum(step <= warmup for step in steps),
    )


def _rises(found: Norms) -> Finding:
    values = found.values[found.warm :]
    third = len(values) // 3
    early, late = (
        sum(v > found.clip for v in part) / third for part in (values[:third], values[-third:])
    )
    present = late >= HIGH and late - early >= RISE
    value = {"early": f"{early:.0%}", "late": f"{late:.0%}", "clip": found.clip, "step": found.step}
    return Finding(RISES, "present" if present else "absent", value=value, source=found.source)


PROBE = Probe(
    name="curve-clipping",
    title=Text("clipped gradients", "梯度裁剪"),
    tells=(RISES,),
    needs=(Curve, RunConfig),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
