"""A GPU of the run that works for somebody else as well, by samples of a time without the run.

Of several GPUs one is busy while the run's others hold nothing, and while all train it holds that much
more than they do. Of one GPU alone: it is as busy before the run's first line as after its last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medic.facts import GpuSeries, LogHits, Source
from medic.facts.memory import gib
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.records import dataclass

from ..curve.numbers import median

CHECK, OUTCOME = "gpu-processes", "busy-without-the-run"
MIB = 1 << 20
EMPTY, HELD = 100 * MIB, 200 * MIB  # a CUDA context alone takes 300 MiB and more
BUSY = 50.0  # percent
FEW = 3  # samples of a second or more
NEAR = 0.25  # of the bytes: it is the same program before and while the run trains
EDGE = 5.0  # seconds around the run's own lines, in which its processes come and go

Sample = tuple[float, float | None, int | None, int | None, int]


@dataclass(frozen=True)
class Other:
    """A GPU, the bytes that somebody else holds on it, and a line of that."""

    gpu: int
    held: float
    use: float
    line: int


def run(look: Look) -> Iterator[Finding]:
    series = look.fact(GpuSeries)
    samples = {
        gpu: rows
        for gpu, rows in series.samples.items()
        if max((row[2] or 0 for row in rows), default=0) >= HELD
    }
    found = _of_several(samples) if len(samples) > 1 else _of_one(samples, look)
    if found is not None:
        value = {"gpu": found.gpu, "held": gib(found.held, 2), "use": f"{found.use:.0f}%"}
        yield Finding(CHECK, OUTCOME, value, Source(series.file, found.line), exact=True)


def _of_several(samples: Mapping[int, Sequence[Sample]]) -> Other | None:
    counts = {len(rows) for rows in samples.values()}
    if max(counts) - min(counts) > 1:
        return None  # samples that do not belong together
    most = {gpu: max(row[2] or 0 for row in rows) for gpu, rows in samples.items()}
    for gpu in samples:
        others = [one for one in samples if one != gpu]
        alone: list[Sample] = []
        more: list[float] = []
        for at in range(min(counts)):
            row, beside = samples[gpu][at], [samples[one][at][2] or 0 for one in others]
            if _works(row) and max(beside) < EMPTY:
                alone.append(row)
            elif all(used > most[one] / 2 for one, used in zip(others, beside, strict=True)):
                more.append((row[2] or 0) - median(beside))
        found = _told(gpu, alone)
        if found is not None and len(more) >= FEW and _alike(median(more), found.held):
            return found
    return None


def _of_one(samples: Mapping[int, Sequence[Sample]], look: Look) -> Other | None:
    logs = look.fact(LogHits) if look.has(LogHits) else None
    if logs is None or logs.first_time is None or logs.last_time is None:
        return None
    for gpu, rows in samples.items():
        before = _told(gpu, [r for r in rows if r[0] < logs.first_time - EDGE])
        after = _told(gpu, [r for r in rows if r[0] > logs.last_time + EDGE])
        during = [r[2] or 0 for r in rows if logs.first_time <= r[0] <= logs.last_time]
        if before is None or after is None or len(during) < FEW:
            continue
        if _alike(before.held, after.held) and max(during) > (1 + NEAR) * after.held:
            return after
    return None


def _works(row: Sample) -> bool:
    return (row[1] or 0.0) >= BUSY and (row[2] or 0) >= HELD


def _told(gpu: int, rows: Sequence[Sample]) -> Other | None:
    """What holds the GPU over these samples, where it works in all but a few of them."""
    busy = [row for row in rows if _works(row)]
    if len(busy) < FEW or 2 * len(busy) < len(rows):
        return None
    held = median([float(row[2] or 0) for row in busy])
    return Other(gpu, held, median([row[1] or 0.0 for row in busy]), busy[-1][4])


def _alike(one: float, other: float) -> bool:
    return abs(one - other) <= NEAR * max(one, other)


PROBE = Probe(
    name="gpu-beside",
    title=Text("others on the run's GPUs", "本次训练所用 GPU 上的其他负载"),
    tells=(CHECK,),
    needs=(GpuSeries,),
    wants=(LogHits,),
    run=run,
    seconds=0.05,
    limit_seconds=5.0,
)
