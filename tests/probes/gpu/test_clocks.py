"""A GPU whose clock is held down, from a series of samples and from a saved report."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.gpu import held_back, slowed
from medic.probes.gpu.near import is_beside
from medic.probes.gpu.series import parse_series

from medic.facts import Gpu, GpuState, LogHits, Source
from medic.probe import Finding

HEAD = (
    "timestamp, index, utilization.gpu [%], clocks.current.sm [MHz], clocks_event_reasons.active\n"
)


def sampled(look: Any, rows: list[tuple[int, int, str]], head: str = HEAD) -> dict[str, str]:
    """``rows``: utilisation, clock and reasons of each GPU, sampled ten times."""
    lines = [head.strip()]
    for second in range(10):
        stamp = f"2026/05/03 11:00:{second:02d}.000"
        lines += [
            f"{stamp}, {gpu}, {use} %, {clock} MHz, {reasons}"
            for gpu, (use, clock, reasons) in enumerate(rows)
        ]
    seen = look(facts=[parse_series(enumerate(lines, 1), "smi.csv")])
    return {f.name: f.outcome for f in held_back.run(seen) if isinstance(f, Finding)}


NONE, CAP, THERMAL = "0x0000000000000000", "0x0000000000000004", "0x0000000000000040"


@pytest.mark.parametrize(
    ("rows", "outcome"),
    [
        ([(99, 1980, NONE), (99, 705, THERMAL), (99, 1980, NONE)], "held-back"),
        ([(99, 705, THERMAL)], "held-back"),
        ([(99, 1980, NONE), (99, 1200, NONE), (99, 1980, NONE)], "one-lower"),
        ([(99, 1755, CAP), (99, 1700, CAP), (99, 1785, CAP)], "even"),
        ([(99, 1980, NONE), (2, 345, "0x0000000000000001"), (99, 1980, NONE)], "even"),  # idle
        ([(99, 1980, NONE), (99, 1200, NONE)], "even"),  # of two either may be the odd one
    ],
)
def test_clocks(look: Any, rows: list[tuple[int, int, str]], outcome: str) -> None:
    found = sampled(look, rows)
    assert found["gpu-clocks"] == outcome
    assert ("training-slow" in found) == (outcome != "even")


def test_reasons_by_name(look: Any) -> None:
    head = HEAD.replace("clocks_event_reasons.active", "clocks_throttle_reasons.hw_slowdown")
    assert sampled(look, [(99, 705, "Active")], head)["gpu-clocks"] == "held-back"
    assert sampled(look, [(99, 1980, "Not Active")], head)["gpu-clocks"] == "even"


@pytest.mark.parametrize(
    ("throttle", "use", "at", "told"),
    [
        (("hw_thermal_slowdown",), 100.0, 50.0, True),
        (("sw_power_cap",), 100.0, 50.0, False),
        (("hw_slowdown",), 0.0, 50.0, False),  # it idles
        (("hw_slowdown",), 100.0, 1e6, False),  # long after the run
    ],
)
def test_a_saved_report(
    look: Any, throttle: tuple[str, ...], use: float, at: float, told: bool
) -> None:
    gpus = (Gpu(0, utilisation=use), Gpu(1, utilisation=use, throttle=throttle))
    state = GpuState(gpus, "smi.txt", source=Source("smi.txt", time=at))
    seen = look(facts=[LogHits(first_time=0.0, last_time=100.0)])
    beside = [state] if is_beside(seen, state.source) else []
    assert bool([f for f in slowed.judge(beside) if f.name == "gpu-clocks"]) is told


@pytest.mark.parametrize(("held", "told"), [(777, "777 MHz / 1980 MHz"), (0, None)])
def test_the_clock_that_is_told_is_of_the_line_that_is_shown(
    look: Any, held: int, told: str | None
) -> None:
    lines = [HEAD.strip()]
    for second in range(20):
        low = held and second >= 14
        one = f"{held} MHz, {THERMAL}" if low else f"1965 MHz, {NONE}"
        stamp = f"2026/05/03 11:00:{second:02d}.000"
        lines += [f"{stamp}, 0, 99 %, 1980 MHz, {NONE}", f"{stamp}, 1, 99 %, {one}"]
    seen = look(facts=[parse_series(enumerate(lines, 1), "smi.csv")])
    found = next(f for f in held_back.run(seen) if isinstance(f, Finding))
    assert found.value.get("how") == told
    assert told is None or "777 MHz" in lines[found.source.line - 1]
