"""Whether a saved report shows a GPU that heat, power or a fault slows down while it works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Gpu, GpuState, Source
from medic.probe import Finding

from ..curve.numbers import median
from .clocks import BUSY
from .held_back import LOWER

CHECK, SLOW = "gpu-clocks", "training-slow"
_HEAT = frozenset({"hw_thermal_slowdown", "sw_thermal_slowdown"})
_BRAKE = frozenset({"hw_power_brake_slowdown", "hw_power_braking"})
_SLOWED = _HEAT | _BRAKE | {"hw_slowdown"}


def judge(states: Sequence[GpuState]) -> Iterator[Finding]:
    """Of the first of the run's reports that shows one."""
    for state in states:
        found = _held_back(state) or _lower(state)
        if found is not None:
            finding, gpu = found
            yield finding
            if _is_low(state, gpu):
                yield Finding(SLOW, source=finding.source)
            return


def _busy(gpu: Gpu, *, untold: bool) -> bool:
    return untold if gpu.utilisation is None else gpu.utilisation >= BUSY


def _held_back(state: GpuState) -> tuple[Finding, Gpu] | None:
    """An idle GPU is not hot; but it may be told to be slow, by a driver that is done with it."""
    for gpu in state.gpus:
        reasons = _SLOWED & set(gpu.throttle)
        if reasons and _busy(gpu, untold=bool(reasons & (_HEAT | _BRAKE))):
            clock = [f"{gpu.clock:.0f} MHz"] if gpu.clock else []
            how = ", ".join([*gpu.throttle, *clock])
            value = {"gpu": gpu.index, "share": "1/1", "how": how} | _clocks(state, gpu)
            return Finding(CHECK, "held-back", value=value, source=_source(state, gpu)), gpu
    return None


def _lower(state: GpuState) -> tuple[Finding, Gpu] | None:
    """One of three or more that all work: of two either may be the odd one."""
    known = [g for g in state.gpus if g.clock and _busy(g, untold=False)]
    if len(known) < 3 or len(known) < len([g for g in state.gpus if g.clock]):
        return None
    low = min(known, key=lambda g: g.clock or 0.0)
    others = _others(state, low)
    if others is None or (low.clock or 0.0) >= LOWER * others:
        return None
    value = {"gpu": low.index, "share": "1/1"} | _clocks(state, low)
    return Finding(CHECK, "one-lower", value=value, source=_source(state, low)), low


def _others(state: GpuState, but: Gpu) -> float | None:
    clocks = [g.clock for g in state.gpus if g is not but and g.clock]
    return median(clocks) if clocks else None


def _clocks(state: GpuState, gpu: Gpu) -> dict[str, object]:
    others = _others(state, gpu) or gpu.clock_max
    told = {"clock": gpu.clock, "others": others}
    return {name: f"{clock:.0f} MHz" for name, clock in told.items() if clock}


def _is_low(state: GpuState, gpu: Gpu) -> bool:
    """Whether the clock itself, where it is told, is far below the others' or its own highest."""
    highest = _others(state, gpu) or gpu.clock_max
    return bool(gpu.clock and highest and gpu.clock < LOWER * highest)


def _source(state: GpuState, gpu: Gpu) -> Source:
    return gpu.source if gpu.source.line else state.source
