"""What /proc tells of a process at a moment: state, memory, threads, CPU time, where it sleeps."""

from __future__ import annotations

import os
from contextlib import suppress

from medic.records import dataclass

from .find import PROC


@dataclass(frozen=True)
class State:
    """``letter`` as in proc(5): R running, S sleeping, D waiting for a device or storage, T
    stopped, Z ended. ``rss`` in bytes, ``cpu`` in seconds."""

    letter: str = ""
    rss: int = 0
    threads: int = 0
    cpu: float = 0.0
    waits_in: str = ""


def state_of(pid: int) -> State | None:
    """None where the process is gone."""
    folder = PROC / str(pid)
    try:
        fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        letter, threads = fields[0], int(fields[17])
        cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        rss = int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
    return State(letter, rss, threads, cpu, _wchan(pid))


def _wchan(pid: int) -> str:
    """The kernel function that the main thread sleeps in; often hidden from other users."""
    with suppress(OSError):
        text = (PROC / str(pid) / "wchan").read_text("utf-8", "replace").strip()
        return "" if text == "0" else text[:64]
    return ""
