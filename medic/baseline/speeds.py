"""How fast a run trains, against the one that worked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from statistics import median

from medic.facts import Curve, Difference, LogHits, Series, Source
from medic.run_config import RunConfig

# Metrics of a speed, and what rises with it; the first that both runs log tells of the symptom.
RISES = ("mfu", "tflops", "tokens_per_s", "samples_per_s")
FALLS = ("step_time", "bar_time")
SETTLE = 0.05  # of the run: compilation, warm caches
# A tenth is more than the medians of two runs of one configuration differ by; a quarter is no
# jitter of a cluster.
APART, SLOWER = 0.10, 0.75
# With another of these a step is another step, and a token may be counted over other ranks.
_SAME = (
    "global_batch_size", "micro_batch_size", "gradient_accumulation_steps", "sequence_length",
    "world_size", "nodes", "gpus_per_node", "num_layers", "hidden_size",
)  # fmt: skip
_NETWORK = "nccl-network-in-use"


def speeds(now: Curve | None, good: Curve | None) -> Iterator[Difference]:
    """The medians of each metric that both log, where they lie a tenth apart."""
    for name in (*RISES, *FALLS):
        ours = now.series.get(name) if now else None
        theirs = good.series.get(name) if good else None
        if ours is None or theirs is None:
            continue
        (one, here), (other, there) = _level(ours), _level(theirs)
        if one > 0 and other > 0 and abs(one - other) > APART * max(one, other):
            yield Difference("speed", name, f"{one:,.4g}", f"{other:,.4g}", here, there)


def _level(series: Series) -> tuple[float, Source]:
    """The median of the settled run, and a line that has it or is next to it; 0 of no finite value."""
    known = [
        (value, line)
        for value, line in zip(series.values, series.lines, strict=True)
        if math.isfinite(value)
    ]
    known = known[round(SETTLE * len(known)) :]
    if not known:
        return 0.0, Source()
    level = median([value for value, _ in known])
    line = min(known, key=lambda point: abs(point[0] - level))[1]
    return level, Source(file=series.file, line=line)


def slower(
    found: Iterable[Difference],
    now: RunConfig | None,
    good: RunConfig | None,
) -> Difference | None:
    """The difference by which the run is slower, where both train alike: at the same sizes."""
    if now is not None and good is not None:
        known = [(now.get(n), good.get(n)) for n in _SAME]
        if any(one is not None and other is not None and one != other for one, other in known):
            return None
    for item in found:
        if item.kind == "speed":
            one, other = (float(v.replace(",", "")) for v in (item.now, item.good))
            ratio = other / one if item.name in FALLS else one / other
            return item if ratio < SLOWER else None
    return None


def network(logs: LogHits | None) -> tuple[str, Source] | None:
    """What NCCL says that it sends over, by the first line that tells it."""
    for hit in logs.hits if logs is not None else ():
        name = str(hit.captures.get("network", "")) if hit.signature == _NETWORK else ""
        if name:
            return name, hit.source
    return None
