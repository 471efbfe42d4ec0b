"""Whether a first loss above a guess is the guess times the accumulation steps: arithmetic."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.run_config import RunConfig

from . import start

FACTOR = "accumulation-factor"
EXACT = 0.05  # of the accumulation steps: the noise of the first losses


def run(look: Look) -> Iterator[Finding]:
    curve, config = look.fact(Curve), look.fact(RunConfig)
    loss, steps = curve.series.get("loss"), config.integer("gradient_accumulation_steps")
    if loss is None or steps is None or not config.stated("gradient_accumulation_steps"):
        return
    for told in start.level(look, curve, loss, config):
        if not isinstance(told, Finding) or not told.outcome.startswith("above-random"):
            continue
        factor = told.value["loss"] / told.value["random"]
        if steps == 1:
            yield Finding(FACTOR, "same", value=told.value, source=told.source)
        elif abs(factor - steps) < EXACT * steps:
            yield Finding(FACTOR, "exact-multiple", value=told.value, source=told.source)


PROBE = Probe(
    name="curve-accumulated",
    title=Text("the factor of an accumulated loss", "累积 Loss 的倍数"),
    tells=(FACTOR,),
    needs=(Curve, RunConfig),
    seconds=0.02,
    run=run,
)
