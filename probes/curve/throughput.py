"""Whether the GPU waits for data: the loader's share of a step, or idle GPUs in long steps."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from medic.facts import Curve, GpuSeries, LogHits, Series, Source
from medic.facts.memory import gib
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of, logs_of
from medic.run_config import RunConfig

from . import averaged_waits, needs
from .numbers import finite, median
from .plan import source_at
from .speed import PAUSES, SETTLE

MIN_SAMPLES = 10
FEW_SAMPLES, NEARLY = 4, 0.7  # rows of several steps each, and the share that chance does not give
MOST = 0.5  # of a step
# A tiny model leaves the GPU idle between launches of millisecond steps; waiting for data costs
# tenths of a second.
IDLE_SECONDS = 0.1
HELD = "gpu-memory-held"
CONTEXT = 200 * 2**20  # bytes; a CUDA context alone takes 300 MiB and more

Sample = tuple[float, float | None, int | None, int | None, int]


def run(look: Look) -> Iterator[Any]:
    curve = look.fact(Curve)
    waits = _data_wait(look, curve)
    starved = _starved(look, curve)
    yield from _held(look)
    if starved is not None:
        yield starved
    elif waits is not None and waits.outcome == "loader-bound":
        yield Finding("gpu-starved", "present", value=waits.value, source=waits.source, exact=True)
    exchanged = _exchanged(look, curve)
    if waits is not None and (waits.outcome == "loader-bound" or exchanged is None):
        yield waits
    elif exchanged is not None:
        yield exchanged
    elif starved is None:
        yield Skip(needs.WAITS, check="step-bound")
    elif starved.outcome == "absent":
        yield Finding("step-bound", "compute-bound", value=starved.value, source=starved.source)
    elif _loader_alone(look):
        yield Finding("step-bound", "idle-and-loads-inline", starved.value, starved.source)
        yield Skip(needs.LOADER_TIME, check="step-bound")
    else:
        yield Skip(needs.LOADER_TIME, check="step-bound")


def _data_wait(look: Look, curve: Curve) -> Finding | None:
    """The loader's logged share of the step."""
    if (told := _told_share(look, curve)) is not None:
        return told
    loads_inline = averaged_waits.inline(look)
    data = _longest(curve)
    if data is not None:
        share = averaged_waits.averaged(curve, loads_inline=loads_inline)
        if share is not None:
            return _of_share(look, data, share)
    total = _step_seconds(curve, _training_time(look))
    if data is None or not total or not _enough(curve, data):
        return None
    starts = frozenset() if loads_inline else averaged_waits.beginnings(curve)
    share = max(median(data.values) / total, _in_pauses(curve, data, starts))
    # Above 1 it is the wait of several steps, or of another clock.
    return _of_share(look, data, share) if share <= 1 else None


def _told_share(look: Look, curve: Curve) -> Finding | None:
    """Where the share itself is logged: by step, or once, over the whole run, by a profiler."""
    for name, least in (("data_share", MIN_SAMPLES), ("profiled_wait", 1)):
        series = curve.series.get(name)
        if series is not None and len(finite(series.values)) >= least:
            return _of_share(look, series, median(finite(series.values)))
    return None


def _exchanged(look: Look, curve: Curve) -> Finding | None:
    """A step of which the exchange of gradients, that DeepSpeed times, takes more than all else."""
    series = curve.series.get("exchange_share")
    shares = finite(series.values) if series is not None else []
    if series is None or len(shares) < MIN_SAMPLES or median(shares) <= MOST:
        return None
    source, value = (
        source_at(look, series, len(series.steps) - 1),
        {"share": f"{median(shares):.0%}"},
    )
    return Finding("step-bound", "communication-bound", value=value, source=source, exact=True)


def _of_share(look: Look, series: Series, share: float) -> Finding:
    outcome = "loader-bound" if share >= look.threshold("data-wait-share") else "compute-bound"
    source = source_at(look, series, len(series.steps) - 1)
    value = {"share": f"{share:.0%}"}
    return Finding("step-bound", outcome, value=value, source=source, exact=True)


def _in_pauses(curve: Curve, data: Series, starts: Collection[int]) -> float:
    """The share of all the time, where waits come in a few steps alone; without the first steps,
    and those in ``starts``, in which the loader's workers start."""
    times = curve.series.get("step_time")
    if times is None or times.steps != data.steps:
        return 0.0
    first = max(2, round(SETTLE * len(data.steps)))
    rows = list(zip(data.steps, data.values, times.values, strict=True))[first:]
    pairs = [(wait, time) for step, wait, time in rows if step not in starts]
    known = [(wait, time) for wait, time in pairs if math.isfinite(wait + time) and wait <= time]
    often = sum(wait > 0.5 * time for wait, time in known) >= PAUSES
    whole = sum(time for _, time in known)
    return sum(wait for wait, _ in known) / whole if often and whole > 0 else 0.0


def _enough(curve: Curve, data: Series) -> bool:
    """Ten waits; or a few, of which each but the first is nearly the whole of its step."""
    if len(finite(data.values)) >= MIN_SAMPLES:
        return True
    times = curve.series.get("step_time")
    if times is None or times.steps != data.steps or len(data.steps) < FEW_SAMPLES:
        return False
    pairs = list(zip(data.values, times.values, strict=True))[1:]
    return all(time >= IDLE_SECONDS and NEARLY * time <= wait <= time for wait, time in pairs)


def _longest(curve: Curve) -> Series | None:
    """The waits of the rank that waits longest: in each step the others wait for it."""
    told = [s["data_time"] for s in curve.by_rank.values() if "data_time" in s]
    told = [s for s in told if _enough(curve, s)]
    lead = curve.series.get("data_time")
    return max(told, key=lambda s: median(s.values), default=lead)


def _starved(look: Look, curve: Curve) -> Finding | None:
    """GPUs idle for most of long steps, over the samples between the first and the last step."""
    if not look.has(GpuSeries):
        return None
    window = _training_time(look)
    seconds = _step_seconds(curve, window)
    if window is None or seconds is None:
        return None
    series = look.fact(GpuSeries)
    use, last = _busiest(series.samples, window)
    if use is None:
        return None
    idle = seconds * (1 - use / 100)
    value = {
        "utilisation": f"{use:.0f}%",
        "step_time": f"{seconds:.2f} s",
        "idle": f"{idle:.2f} s",
        "share": f"{1 - use / 100:.0%}",
    }
    low = use < look.threshold("starved-utilisation") and idle >= IDLE_SECONDS
    source = Source(series.file, last)
    return Finding("gpu-starved", "present" if low else "absent", value=value, source=source)


def _held(look: Look) -> Iterator[Finding]:
    """Whether a GPU held anything between the first and the last step."""
    window = _training_time(look)
    if window is None or not look.has(GpuSeries):
        return
    series = look.fact(GpuSeries)
    rows = [
        (row[2], row[4])
        for samples in series.samples.values()
        for row in samples
        if window[0] <= row[0] <= window[1] and row[2] is not None
    ]
    if len(rows) < MIN_SAMPLES:
        return
    most, line = max(rows)
    value, source = {"most": gib(most, 2)}, Source(series.file, line)
    yield Finding(HELD, "none-held" if most < CONTEXT else "held", value=value, source=source)


def _training_time(look: Look) -> tuple[float, float] | None:
    logs = logs_of(look)
    times = [s.source.time for s in logs.steps if s.source.time is not None]
    return (min(times), max(times)) if len(times) >= 2 else None


def _step_seconds(curve: Curve, window: tuple[float, float] | None) -> float | None:
    series = curve.series.get("step_time")
    if series is not None and finite(series.values):
        return median(series.values)
    loss = curve.series.get("loss")
    if window is None or loss is None or len(loss.steps) < 2:
        return None
    return (window[1] - window[0]) / max(1, loss.steps[-1] - loss.steps[0])


def _busiest(
    samples: Mapping[int, tuple[Sample, ...]], window: tuple[float, float]
) -> tuple[float | None, int]:
    """Mean utilisation of the busiest GPU in the window: an unused card says nothing."""
    best: float | None = None
    line = 0
    for rows in samples.values():
        inside = [r for r in rows if window[0] <= r[0] <= window[1] and r[1] is not None]
        if len(inside) < MIN_SAMPLES:
            continue
        memory = [r[2] or 0 for r in inside]
        mean = sum(r[1] or 0.0 for r in inside) / len(inside)
        if max(memory) > 0 and (best is None or mean > best):
            best, line = mean, inside[-1][4]
    return best, line


def _loader_alone(look: Look) -> bool:
    """One process that loads in its own loop: no collective to wait for, no worker to prefetch. Even
    so an idle GPU may wait for the host to compile, to update offloaded weights, to save or to evaluate: that it
    waits for data is known only where the time in the loader is."""
    config = config_of(look)
    if config.get("optimizer_offload") not in (None, False, "none"):
        return False
    world = config.integer("world_size")
    logs = logs_of(look)
    single = world == 1 or (world is None and len(logs.ranks) <= 1)
    return single and config.integer("num_workers") == 0


PROBE = Probe(
    name="curve-throughput",
    title=Text("waiting for data", "数据等待"),
    tells=("gpu-starved", "step-bound", HELD),
    needs=(Curve,),
    wants=(GpuSeries, LogHits, RunConfig),
    reliability="heuristic",
    seconds=0.05,
    run=run,
)
