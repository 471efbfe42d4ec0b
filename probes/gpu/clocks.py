"""SM clocks and what holds them back, from the columns of a series of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from medic.facts import GpuClocks
from medic.records import dataclass, field

from .fields import number

# Bits of clocks_event_reasons.active (nvml.h): hardware slowdown 0x8, software thermal slowdown
# 0x20, hardware thermal slowdown 0x40, power brake 0x80. A power cap, 0x4, is usual under load.
HELD_BACK = 0x08 | 0x20 | 0x40 | 0x80
BUSY = 50.0  # percent: an idle GPU clocks down
# Column titles without their unit -> what they tell.
COLUMNS = {
    "clocks.sm": "clock", "clocks.current.sm": "clock", "clocks.gr": "clock",
    "clocks.current.graphics": "clock", "sm_clock": "clock", "clock_sm": "clock",
} | {
    f"clocks_{word}_reasons.{name}": role
    for word in ("event", "throttle")
    for name, role in (
        ("active", "reasons"), ("hw_slowdown", "held"), ("hw_thermal_slowdown", "held"),
        ("sw_thermal_slowdown", "held"), ("hw_power_brake_slowdown", "held"),
    )
}  # fmt: skip


@dataclass
class Tally:
    """What is told of each GPU while it is busy."""

    clocks: dict[int, list[float]] = field(default_factory=dict)
    held: dict[int, list[bool]] = field(default_factory=dict)
    rows: dict[int, list[tuple[bool, float, int]]] = field(default_factory=dict)

    def add(
        self, gpu: int, roles: Sequence[str], cells: Sequence[str], use: float | None, line: int
    ) -> None:
        """One sample; one of an idle GPU tells nothing."""
        if use is not None and use < BUSY:
            return
        held: bool | None = None
        at = 0.0
        for role, cell in zip(roles, cells, strict=True):
            if role == "clock" and (clock := number(cell)):
                self.clocks.setdefault(gpu, []).append(clock)
                at = clock
            elif role in ("held", "reasons"):
                told = _is_held(role, cell)
                held = held or told if told is not None else held
        if held is not None:
            self.held.setdefault(gpu, []).append(held)
        self.rows.setdefault(gpu, []).append((bool(held), at, line))

    def _shown(self, gpu: int) -> tuple[float, int]:
        """Clock and line of the row that stands for those held back; where none is, for all."""
        rows = self.rows[gpu]
        own = [(clock, line) for held, clock, line in rows if held]
        own = own or [(clock, line) for _, clock, line in rows]
        return sorted(own)[len(own) // 2]

    def all(self) -> Mapping[int, GpuClocks]:
        """By GPU, of those of which anything was told."""
        return {
            gpu: GpuClocks(
                clock=_middle(self.clocks.get(gpu, ())),
                samples=max(len(self.clocks.get(gpu, ())), len(self.held.get(gpu, ()))),
                held=sum(self.held.get(gpu, ())),
                line=self._shown(gpu)[1],
                held_clock=self._shown(gpu)[0] or None,
            )
            for gpu in sorted(self.clocks.keys() | self.held.keys())
        }


def _is_held(role: str, cell: str) -> bool | None:
    word = cell.strip().lower()
    if role == "held":
        return word == "active" if word in ("active", "not active") else None
    try:
        return bool(int(word, 16) & HELD_BACK) if word.startswith("0x") else None
    except ValueError:
        return None


def _middle(values: Sequence[float]) -> float | None:
    return sorted(values)[len(values) // 2] if values else None
