"""How evenly the experts of a mixture are used, where their load is logged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from medic.facts import Curve
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from .numbers import clean, median
from .plan import source_at

SYMPTOM = "experts-unbalanced"
BUSIEST = Text(
    "the busiest expert has {ratio} times the mean load", "最忙专家的负载是平均的 {ratio} 倍"
)
MIN_POINTS = 10
UNBALANCED = 2.0  # the busiest expert over the mean; below 1.3 is good (Switch, DeepSeek-V3)
DEAD = 0.1  # the idlest expert over the mean
SETTLED = 0.25  # of the run at its end: early on every router is uneven


def run(look: Look) -> Iterator[Any]:
    series = look.fact(Curve).series
    ratio = series.get("expert_ratio") or series.get("expert_violation")
    if ratio is None or len(ratio.steps) < MIN_POINTS:
        yield Skip(Text("the load of each expert by step", "逐步的各专家负载"), check=SYMPTOM)
        return
    more = 1.0 if ratio.name == "expert_violation" else 0.0
    _, values, _ = clean(ratio)
    level = more + _end(values)
    least = series.get("expert_least")
    idle = _end(clean(least)[1]) if least is not None else 1.0
    value = {
        "told": BUSIEST.fill(ratio=f"{level:.2f}"),
        "step": ratio.steps[-1],
        "ratio": f"{level:.2f}",
        "least": f"{idle:.2f}" if least is not None else "-",
    }
    source = source_at(look, ratio, len(ratio.steps) - 1)
    bad = level > UNBALANCED or idle < DEAD
    yield Finding(SYMPTOM, "present" if bad else "absent", value=value, source=source)


def _end(values: list[float]) -> float:
    return median(values[-max(3, round(SETTLED * len(values))) :])


PROBE = Probe(
    name="curve-experts",
    title=Text("load of the experts", "专家负载"),
    tells=(SYMPTOM,),
    needs=(Curve,),
    reliability="heuristic",
    seconds=0.02,
    run=run,
)
