"""GPUs of this machine, of a saved report, or over time."""

from __future__ import annotations

from collections.abc import Mapping

from medic.facts.files import Source
from medic.records import dataclass, field


@dataclass(frozen=True)
class GpuProcess:
    pid: int
    name: str
    used: int | None


@dataclass(frozen=True)
class Gpu:
    """One device; bytes, degrees Celsius, watts. None where it was not told."""

    index: int
    name: str = ""
    total: int | None = None
    used: int | None = None
    utilisation: float | None = None
    processes: tuple[GpuProcess, ...] = ()
    ecc_uncorrected: int | None = None
    retired_rows: int | None = None
    row_remap_failed: bool | None = None
    throttle: tuple[str, ...] = ()
    pcie_width: int | None = None
    pcie_width_max: int | None = None
    pcie_generation: int | None = None
    pcie_generation_max: int | None = None
    mig: bool | None = None
    compute_mode: str = ""
    temperature: float | None = None
    clock: float | None = None  # of the SMs, MHz
    clock_max: float | None = None
    source: Source = field(default_factory=Source)  # its line in a report


@dataclass(frozen=True)
class GpuState:
    """The GPUs of this machine (``origin`` "this-host") or of a saved report (its file)."""

    gpus: tuple[Gpu, ...]
    origin: str
    driver: str = ""
    cuda: str = ""
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class GpuClocks:
    """A busy GPU over time: its middle SM clock in MHz, the number of samples, those in which heat,
    power or hardware held it back, and the line of a usual one of these (else of a usual one of
    all), with its clock."""

    clock: float | None
    samples: int
    held: int
    line: int
    held_clock: float | None = None


@dataclass(frozen=True)
class GpuSeries:
    """Samples of one GPU over time: (time, utilisation %, used bytes, total bytes, line)."""

    file: str
    samples: Mapping[int, tuple[tuple[float, float | None, int | None, int | None, int], ...]]
    clocks: Mapping[int, GpuClocks] = field(default_factory=dict)
