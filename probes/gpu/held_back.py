"""Whether a GPU runs at a lower clock than its neighbours, or heat or power holds it back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.facts import GpuClocks, GpuSeries, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip

from ..curve.numbers import median

CHECK, SLOW = "gpu-clocks", "training-slow"
FEW = 5  # samples
OFTEN = 0.2  # of the samples: a moment's slowdown costs nothing
LOWER = 0.8  # of the others' clock; cards of one kind differ by a few percent under a power cap
_NEEDS = Text("GPU clocks over time", "逐时的 GPU 频率")


def run(look: Look) -> Iterator[Finding | Skip]:
    series = look.fact(GpuSeries)
    known = {g: c for g, c in series.clocks.items() if c.samples >= FEW}
    if not known:
        yield Skip(_NEEDS, check=CHECK)
        return
    worst = min(known, key=lambda g: (-known[g].held / known[g].samples, known[g].clock or 0.0))
    if known[worst].held >= OFTEN * known[worst].samples:
        yield from _told(series, known, worst, "held-back")
        return
    clocked = {g: c for g, c in known.items() if c.clock}
    lowest = min(clocked, key=lambda g: clocked[g].clock or 0.0, default=None)
    if lowest is not None and len(clocked) > 2:
        others = _others(clocked, lowest)
        if others and (clocked[lowest].clock or 0.0) < LOWER * others:
            yield from _told(series, known, lowest, "one-lower")
            return
    yield Finding(CHECK, "even")


def _others(known: Mapping[int, GpuClocks], but: int) -> float | None:
    clocks = [c.clock for g, c in known.items() if g != but and c.clock]
    return median(clocks) if clocks else None


def _clock(value: float | None) -> str:
    return f"{value:.0f} MHz" if value else "?"


def _told(
    series: GpuSeries, known: Mapping[int, GpuClocks], gpu: int, outcome: str
) -> Iterator[Finding]:
    one, others = known[gpu], _others(known, gpu)
    clock = one.held_clock or one.clock  # that of the line that is shown
    value = {
        "gpu": gpu,
        "share": f"{one.held / one.samples:.0%}",
        "clock": _clock(clock),
        "others": _clock(others),
        "how": f"{_clock(clock)} / {_clock(others)}",
    }
    source = Source(series.file, one.line)
    yield Finding(CHECK, outcome, value=value, source=source)
    yield Finding(SLOW, source=source)


PROBE = Probe(
    name="gpu-clocks",
    title=Text("clocks of the GPUs", "GPU 频率"),
    tells=(CHECK, SLOW),
    needs=(GpuSeries,),
    seconds=0.01,
    limit_seconds=5.0,
    run=run,
)
