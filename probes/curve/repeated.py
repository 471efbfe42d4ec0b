"""Whether the loss falls to nothing without ever rising: no batch differs from the one before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from .gap import LOW, NO_MISS
from .numbers import clean, median
from .plan import source_at

CHECK = "batch-noise"
# Losses on the way down. Where batches differ 2% (64 sequences) to 40% (8) of the steps rise, even
# while a model learns to copy its labels; on one batch none of 282 steps did (measured, dropout 0).
MIN_FALLS = 30
FROM = 1.0  # nats: a fall that begins lower is hardly one
_NEEDS = Text("the loss of every step while it falls to zero", "loss 降到零期间每一步的值")


def run(look: Look) -> Iterator[Finding | Skip]:
    loss = look.fact(Curve).series.get("loss")
    steps, values, _ = clean(loss) if loss is not None else ([], [], None)
    end = next((n for n, v in enumerate(values) if v < NO_MISS), None)
    if loss is None or end is None or end < MIN_FALLS or median(values[:3]) < FROM:
        yield Skip(_NEEDS, check=CHECK)
        return
    rises = sum(b >= a for a, b in pairwise(values[: end + 1]))
    value = {"first": values[0], "last": values[end], "step": steps[end], "count": end}
    source = source_at(look, loss, loss.steps.index(steps[end]))
    yield Finding(CHECK, "usual" if rises else "none", value=value, source=source)
    if not rises and values[-1] < NO_MISS:
        yield Finding(LOW, source=source)


PROBE = Probe(
    name="curve-repeated",
    title=Text("the noise of the batches", "batch 间的波动"),
    tells=(CHECK, LOW),
    needs=(Curve,),
    reliability="heuristic",
    seconds=0.01,
    run=run,
)
