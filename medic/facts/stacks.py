"""Python stacks of running processes, and where each rank of a job stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from medic.facts.files import Source
from medic.facts.logs import Frame
from medic.records import dataclass, field

# What the innermost frame that says something does. The first four wait for other ranks.
Act = Literal[
    "collective", "p2p", "device", "backward",
    "loader", "preparing", "saving", "loading", "compiling", "importing", "evaluating",
    "optimizer", "network", "leaving", "lock", "own-code", "unknown",
]  # fmt: skip


@dataclass(frozen=True)
class Thread:
    """One Python thread, its frames innermost first. ``active``: it was on a CPU."""

    name: str
    frames: tuple[Frame, ...]
    active: bool | None = None
    owns_gil: bool = False


@dataclass(frozen=True)
class Spot:
    """What a stack does: ``what`` names the operation (all_reduce), ``section`` the part of the
    training around it (saving, evaluating), ``site`` the user's own line, "file:line"."""

    act: Act
    what: str = ""
    section: str = ""
    site: str = ""


@dataclass(frozen=True)
class Helper:
    """A child process of a rank, most often a data loader worker.

    ``states`` are the letters of /proc/PID/stat, one a sample; ``cpu_seconds`` what it used
    between the first and the last; ``waits_in`` the kernel function that it sleeps in.
    """

    pid: int
    states: str = ""
    cpu_seconds: float | None = None
    waits_in: str = ""
    spot: Spot | None = None  # where its main thread stood at the last look


@dataclass(frozen=True)
class RankStack:
    """One process of the job over the samples that were taken of it.

    ``spots``: one a sample; ``still``: whether the main thread's stack was the same in all of at
    least two samples, None with one. ``rss``: resident bytes, one a sample.
    """

    pid: int
    rank: int | None
    command: str
    spots: tuple[Spot, ...]
    frames: tuple[Frame, ...]
    source: Source
    still: bool | None = None
    states: str = ""
    waits_in: str = ""
    threads: int = 0
    cpu_seconds: float | None = None
    rss: tuple[int, ...] = ()
    helpers: tuple[Helper, ...] = ()
    gil_holder: str = ""  # another thread that held the GIL in every sample
    problem: str = ""  # why no stack could be taken

    @property
    def spot(self) -> Spot:
        return self.spots[-1] if self.spots else Spot("unknown")

    @property
    def label(self) -> str:
        return f"pid {self.pid}" if self.rank is None else f"rank {self.rank}"


@dataclass(frozen=True)
class GpuUse:
    """One GPU over the samples: per cent, watts, MHz; None where NVML did not tell."""

    index: int
    name: str = ""
    pids: tuple[int, ...] = ()
    utilisation: tuple[float, ...] = ()
    power: tuple[float, ...] = ()
    power_limit: float | None = None
    clock: tuple[float, ...] = ()
    clock_max: float | None = None
    throttle: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stacks:
    """Where the ranks of one node stand. ``missing``: local ranks without a process.

    ``seconds`` is the time from the first sample to the last, 0 for a single dump. ``tables``
    are rows that an in-process profiler answered with, by rank label and table.
    """

    ranks: tuple[RankStack, ...]
    missing: tuple[int, ...] = ()
    seconds: float = 0.0
    host: str = ""
    world_size: int | None = None
    gpus: tuple[GpuUse, ...] = ()
    tables: Mapping[str, Mapping[str, tuple[Mapping[str, str], ...]]] = field(default_factory=dict)
    not_done: tuple[str, ...] = ()
