"""Saved nvidia-smi output of a case: GPU state and series, and processes of others."""

from __future__ import annotations

from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import Gpu, GpuSeries, GpuState, HostReports, Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, Unread, logs_of
from medic.run_config import RunConfig

from .near import is_beside, is_near, was_over
from .processes import judge
from .saved import read_saved
from .slowed import CHECK as CLOCKS
from .slowed import SLOW
from .slowed import judge as judge_slow

MAX_FILES = 64
ERRORS, FAULT = "gpu-memory-errors", "gpu-hardware-fault"
_FOLLOWS = ("cuda-kernel-error", "cublas-error", "nccl-error")


def run(look: Look) -> Iterator[Finding | Skip | Unread | GpuState | GpuSeries]:
    states: list[GpuState] = []
    series: list[GpuSeries] = []
    for file in look.files("gpu-report", "gpu-series")[:MAX_FILES]:
        try:
            found = read_saved(look, file)
        except Unreadable as problem:
            yield Unread(file.name, Text(problem.en, problem.zh))
            continue
        if isinstance(found, GpuState):
            states.append(found)
        else:
            series.append(found)
    if series:
        yield max(series, key=lambda s: sum(len(rows) for rows in s.samples.values()))
    if not states:
        states = _named(look)
    if states:
        yield from _of_states(look, states)
    elif not series:
        needs = Text("saved nvidia-smi output", "保存的 nvidia-smi 输出")
        yield Skip(needs=needs, check="gpu-processes")


def _named(look: Look) -> list[GpuState]:
    """GPUs that a collect_env text of the case names, where no nvidia-smi output tells more."""
    reports = look.fact(HostReports).reports if look.has(HostReports) else ()
    return [
        GpuState(
            gpus=tuple(Gpu(i, name) for i, name in enumerate(one.gpus)),
            origin=one.file,
            source=Source(file=one.file),
        )
        for one in reports
        if one.gpus
    ]


def _of_states(look: Look, states: list[GpuState]) -> Iterator[Finding | Skip | GpuState]:
    """The state of the run's time if there is one, else the latest, which is not judged."""
    near = [s for s in states if is_near(look, s.source)]
    state = max(near or states, key=lambda s: s.source.time or 0.0)
    yield state
    beside = [s for s in states if _is_alone(look) or is_beside(look, s.source)]
    yield from judge_slow(beside)
    yield from _memory_errors(look, beside)
    if not near:
        yield Skip(
            needs=Text("nvidia-smi output of the run's time", "运行期间的 nvidia-smi 输出"),
            check="gpu-processes",
        )
        return
    findings = [
        f for s in near if (f := judge(look, s, over=was_over(look, s.source.time))) is not None
    ]
    bad = [f for f in findings if f.outcome != "only-this-run"]
    found = next(iter(bad or findings), None)
    yield found or Skip(
        needs=Text("the processes on the GPUs", "GPU 上的进程列表"), check="gpu-processes"
    )


def _is_alone(look: Look) -> bool:
    """Whether reports were given without a run: what they tell of the cards is what is asked."""
    return not look.files("log", "metrics")


def _memory_errors(look: Look, states: list[GpuState]) -> Iterator[Finding]:
    """Of the worst GPU: a row that was not remapped, else the most errors. Beside a log with what
    follows from them they are a fault of the run, and else of some day."""
    gpus = [
        (g.row_remap_failed or False, g.ecc_uncorrected or 0, g, s) for s in states for g in s.gpus
    ]
    failed, count, gpu, state = max(gpus, key=lambda one: one[:2], default=(False, 0, None, None))
    if gpu is None or state is None or not (failed or count):
        return
    outcome = "remapping-failed" if failed else "uncorrectable"
    yield Finding(ERRORS, outcome, {"index": gpu.index, "count": count}, state.source, exact=True)
    if _is_alone(look) or any(h.symptom in _FOLLOWS and not h.benign for h in logs_of(look).hits):
        yield Finding(FAULT, source=state.source)


PROBE = Probe(
    name="gpu-report",
    title=Text("saved GPU reports", "已保存的 GPU 报告"),
    tells=("gpu-processes", ERRORS, FAULT, CLOCKS, SLOW),
    wants=(LogHits, Launches, RunConfig, HostReports),
    gives=(GpuState, GpuSeries),
    reliability="heuristic",
    seconds=0.1,
    run=run,
)
