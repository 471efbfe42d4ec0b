"""Gradient norms that grow over the whole run though the loss does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from . import needs
from .numbers import clean, median, typical
from .plan import source_at

CHECK, SYMPTOM = "norm-growth", "gradient-norm-grows"
MIN_POINTS = 30
STEADY = 0.7  # Kendall's tau against time: nearly every norm lies above the earlier ones
SAMPLED = 200


def run(look: Look) -> Iterator[Finding | Skip]:
    curve = look.fact(Curve)
    series, loss = curve.series.get("grad_norm"), curve.series.get("loss")
    steps, values, _ = clean(series) if series is not None else ([], [], None)
    own = [v for v in values if v > 0]
    at = [s for s, v in zip(steps, values, strict=True) if v > 0]
    if series is None or loss is None or len(own) < MIN_POINTS:
        few = needs.NORMS_LONGER.fill(n=MIN_POINTS)
        yield Skip(needs.LOSS if series is not None and loss is None else few, check=CHECK)
        return
    fifth = len(own) // 5
    begin, end = median(own[:fifth]), median(own[-fifth:])
    grows = end > look.threshold("growth") * begin and _tau(own) > STEADY and not _rises(loss)
    if not grows or _scaled(curve):
        yield Finding(SYMPTOM, "absent")
        yield Finding(CHECK, "steady")
        return
    one, other = typical(own[:fifth]), len(own) - fifth + typical(own[-fifth:], late=True)
    value = {"first": own[one], "first_step": int(at[one]), "last": own[other]}
    value |= {"ratio": own[other] / own[one], "step": at[other]}
    first, last = (source_at(look, series, series.steps.index(at[n])) for n in (one, other))
    yield Finding(SYMPTOM, value=value, source=last, more=(first,))
    yield Finding(CHECK, "without-end", value=value, source=last, more=(first,))


def _tau(values: Sequence[float]) -> float:
    """1 for values that always rise, 0 for noise."""
    some = values[:: -(-len(values) // SAMPLED)]
    pairs = sum((b > a) - (b < a) for n, a in enumerate(some) for b in some[n + 1 :])
    return 2 * pairs / (len(some) * (len(some) - 1))


def _rises(loss: Series) -> bool:
    """Whether the loss itself goes up: then the gradients follow it."""
    _, values, _ = clean(loss)
    fifth = max(1, len(values) // 5)
    return len(values) < 5 or median(values[-fifth:]) > median(values[:fifth])


def _scaled(curve: Curve) -> bool:
    """Whether a loss scale that grows may stand in the norms."""
    scale = curve.series.get("loss_scale")
    return scale is not None and scale.values[-1] > scale.values[0]


PROBE = Probe(
    name="curve-norm-growth",
    title=Text("growth of the gradient norm", "梯度范数的增长"),
    tells=(CHECK, SYMPTOM),
    needs=(Curve,),
    reliability="heuristic",
    seconds=0.02,
    run=run,
)
