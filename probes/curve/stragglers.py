"""The rank whose own part of a step takes longest, by the times that every rank logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from . import timed
from .numbers import clean, median
from .plan import source_at

CHECK, SYMPTOM = "slow-scope", "training-slow"
# What a rank computes before it waits for the others; the time of the whole step is all ranks'.
OWN = ("compute_time", "step_time")
RANKS, STEPS = 3, 10
SLOWER = 1.25  # times the middle rank's
ALIKE = 1.1  # the others among themselves
MOST = 0.9  # of the steps
_NEEDS = Text("times of a step from at least three ranks", "至少三个 rank 的每步耗时")


def run(look: Look) -> Iterator[Finding | Skip]:
    if found := [*timed.judge(look, look.fact(Curve))]:
        yield from found
        return
    ranks = look.fact(Curve).by_rank
    own = {
        rank: series["forward_time"] for rank, series in ranks.items() if "forward_time" in series
    }
    waits = {rank: series["sync_time"] for rank, series in ranks.items() if "sync_time" in series}
    if len(ranks) >= 2 and len(own) == len(waits) == len(ranks) and _is_waited_for(own, waits):
        yield from _judged(look, own)
        return
    for name in OWN:
        times = {rank: series[name] for rank, series in ranks.items() if name in series}
        if len(times) >= RANKS and len(times) == len(ranks):
            yield from _judged(look, times)
            return
    yield Skip(_NEEDS, check=CHECK)


def _is_waited_for(own: Mapping[int, Series], waits: Mapping[int, Series]) -> bool:
    """Whether the rank with the longest forward pass has the shortest reduction, and the times come
    out alike: the others wait for it there. So two ranks are enough."""
    level = {rank: median(clean(series)[1]) for rank, series in own.items()}
    wait = {rank: median(clean(series)[1]) for rank, series in waits.items()}
    slow = max(level, key=level.__getitem__)
    more = level[slow] - median([v for r, v in level.items() if r != slow])
    less = median([v for r, v in wait.items() if r != slow]) - wait[slow]
    return more > (SLOWER - 1) * (level[slow] + wait[slow]) and less > more / 2


def _judged(look: Look, times: Mapping[int, Series]) -> Iterator[Finding]:
    by_rank = {r: dict(zip(*clean(s)[:2], strict=True)) for r, s in times.items()}
    common = sorted(set.intersection(*map(set, by_rank.values())))
    if len(common) < STEPS:
        return
    level = {r: median([values[s] for s in common]) for r, values in by_rank.items()}
    slow = max(level, key=level.__getitem__)
    others = [v for r, v in level.items() if r != slow]
    last = sum(by_rank[slow][s] >= max(v[s] for v in by_rank.values()) for s in common)
    apart = level[slow] > SLOWER * median(others) and max(others) < ALIKE * median(others)
    if not apart or last < MOST * len(common):
        yield Finding(CHECK, "none")
        return
    value = {
        "rank": slow,
        "own": f"{level[slow]:.3g} s",
        "others": f"{median(others):.3g} s",
        "steps": len(common),
    }
    series = times[slow]
    source = source_at(look, series, series.steps.index(common[-1]))
    yield Finding(CHECK, "one-rank-slower", value=value, source=source)
    yield Finding(SYMPTOM, value=value, source=source)


PROBE = Probe(
    name="curve-stragglers",
    title=Text("step times of the ranks", "各 rank 的每步耗时"),
    tells=(CHECK, SYMPTOM),
    needs=(Curve,),
    seconds=0.05,
    run=run,
)
