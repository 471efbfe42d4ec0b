"""What Megatron's timers over all ranks tell of the slowest ones, and DeepSpeed's of the exchange."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median, mode

from medic.facts import Curve, Series
from medic.i18n import Text
from medic.probe import Finding, Look

from .plan import source_at

CHECK, SYMPTOM = "slow-scope", "training-slow"
LAST = 10  # blocks of timers: what is slow now
SLOWER = 1.25  # times the middle rank's, or the fastest one's
MOST = 0.9  # of the blocks


def judge(look: Look, curve: Curve) -> Iterator[Finding]:
    """The ranks whose own part of a step takes longest, in nearly all of the last blocks."""
    most = curve.series.get("compute_most")
    rest = curve.series.get("compute_middle") or curve.series.get("compute_least")
    if most is None or rest is None:
        return
    own, others = _by_step(most), _by_step(rest)
    steps = sorted(set(own) & set(others))[-LAST:]
    if len(steps) < LAST:
        return
    slow = [s for s in steps if own[s] > SLOWER * others[s]]
    if len(slow) < MOST * len(steps):
        yield Finding(CHECK, "none")
        return
    source = source_at(look, most, most.steps.index(slow[-1]))
    value = {
        "own": f"{median(own[s] for s in slow):.3g} s",
        "others": f"{median(others[s] for s in slow):.3g} s",
        "steps": len(slow),
    }
    outcome, ranks = _named(curve, slow)
    yield Finding(CHECK, outcome, value={**value, **ranks}, source=source)
    yield Finding(SYMPTOM, value=value, source=source)


def _by_step(series: Series) -> dict[int, float]:
    return dict(zip(series.steps, series.values, strict=True))


def _named(curve: Curve, steps: list[int]) -> tuple[str, Mapping[str, object]]:
    """(outcome, the ranks), where the blocks name them and they are the same ones nearly always."""
    names = ("slow_ranks", "slow_first", "slow_last")
    told = [_by_step(curve.series[n]) for n in names if n in curve.series]
    blocks = [tuple(round(t[s]) for t in told) for s in steps if all(s in t for t in told)]
    if len(told) < len(names) or not blocks:
        return "one-node-slower", {}
    count, first, last = usual = mode(blocks)
    if blocks.count(usual) < MOST * len(blocks) or count != last - first + 1:
        return "one-node-slower", {}
    if count == 1:
        return "one-rank-slower", {"rank": first}
    ranks = Text("ranks {first} to {last}", "rank {first} 至 {last}")
    return "neighbours-slower", {"ranks": ranks.fill(first=first, last=last)}
