"""This machine's GPUs: their state, and processes of others if the run was here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import PurePath

from medic.errors import Unreadable
from medic.facts import GpuState, Launches, LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip
from medic.run_config import RunConfig

from .near import was_over
from .nvml import read_host
from .processes import judge


def run(look: Look) -> Iterator[Finding | Skip | GpuState]:
    try:
        state = read_host()
    except Unreadable as problem:
        yield Skip(needs=Text(problem.en, problem.zh))
        return
    reported = look.fact(GpuState) if look.has(GpuState) else None
    if reported is None:
        yield state  # a report of the case says more about the run than this machine now
    if look.host_is_the_runs is not True:
        yield Skip(
            needs=Text("the run to be on this machine", "该运行就在本机"), check="gpu-processes"
        )
        return
    over = was_over(look, time.time())
    found = judge(look, state, over=over, own=() if over else _pids_of_run(look, state))
    yield found or Skip(
        needs=Text("the processes on the GPUs", "GPU 上的进程列表"), check="gpu-processes"
    )


def _pids_of_run(look: Look, state: GpuState) -> set[int]:
    """Processes on the GPUs whose command line names the run's script."""
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    scripts = {PurePath(w.script.value).name for w in launches if w.script and w.script.value}
    if not scripts:
        return set()
    pids = {p.pid for g in state.gpus for p in g.processes}
    return {pid for pid in pids if any(PurePath(w).name in scripts for w in _words(pid))}


def _words(pid: int) -> list[str]:
    import psutil

    try:
        return psutil.Process(pid).cmdline()
    except (psutil.Error, OSError):
        return []


PROBE = Probe(
    name="gpu",
    title=Text("GPUs of this machine", "本机 GPU"),
    tells=("gpu-processes",),
    wants=(LogHits, Launches, RunConfig, GpuState),
    gives=(GpuState,),
    reads="this-host",
    reliability="heuristic",
    seconds=0.3,
    limit_seconds=10,
    run=run,
)
