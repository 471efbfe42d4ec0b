"""Whether there are as many GPUs as ranks on a node."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import GpuSeries, GpuState, Launch, Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of, logs_of, source_of
from medic.run_config import RunConfig

from .near import is_near
from .processes import devices, ranks

MIN_SAMPLES = 10
_REFUSED = ("invalid-device-ordinal", "world-size-mismatch")
# Options that set the processes of one node: torchrun, deepspeed, mpirun, torch.distributed.launch.
_PER_NODE = (
    "--nproc-per-node",
    "--nproc_per_node",
    "--num_gpus",
    "--num-gpus",
    "--ntasks-per-node",
)


def run(look: Look) -> Iterator[Finding | Skip]:
    wanted, where = _ranks(look)
    there = _gpus(look)
    if wanted is None or there is None:
        needs = (
            Text("the number of ranks on a node", "每个节点的 rank 数")
            if wanted is None
            else Text("the GPUs of the run's machine", "该运行所在机器的 GPU")
        )
        yield Skip(needs=needs, check="gpus-for-ranks")
        return
    value = {"gpus": there, "ranks": wanted}
    if there >= wanted and _was_refused(look):
        yield Skip(
            needs=Text("the GPUs that the refused rank could see", "被拒绝的 rank 可见的 GPU"),
            check="gpus-for-ranks",
        )
    elif there >= wanted:
        yield Finding("gpus-for-ranks", "enough", value, where)
    elif _has_trained(look):
        yield Skip(
            needs=Text("a report of all GPUs of the run", "该运行全部 GPU 的报告"),
            check="gpus-for-ranks",
        )
    else:
        yield Finding("gpus-for-ranks", "fewer-than-ranks", value, where)


def _ranks(look: Look) -> tuple[int | None, Source]:
    """(ranks of one node, where that is written)."""
    for launch in look.fact(Launches).launches if look.has(Launches) else ():
        count = _per_node(launch)
        if count is not None:
            return count, source_of(launch.span)
    config = config_of(look)
    origin = config.origin("gpus_per_node") or config.origin("world_size")
    return ranks(look), source_of(origin)


def _per_node(launch: Launch) -> int | None:
    words = [w.value or "" for w in launch.launcher_words]
    for at, word in enumerate(words):
        name, sign, value = word.partition("=")
        if name in _PER_NODE:
            text = value if sign else next(iter(words[at + 1 :]), "")
            return (
                int(text) if text.isdecimal() and len(text) < 10 else None
            )  # "gpu" and "auto" fit by themselves
    return None


def _gpus(look: Look) -> int | None:
    """GPUs that a node's ranks can use: those seen there, at most as many as are made visible."""
    visible = devices(look)
    seen = _seen(look)
    if visible is None:
        return seen
    return len(visible) if seen is None else len([i for i in visible if i < seen])


def _seen(look: Look) -> int | None:
    state = look.fact(GpuState) if look.has(GpuState) else None
    if state is not None and _is_the_runs(look, state):
        return len(state.gpus)
    series = look.fact(GpuSeries) if look.has(GpuSeries) else None
    if series is None:
        return None
    times = [rows[-1][0] for rows in series.samples.values() if len(rows) >= MIN_SAMPLES]
    if not times or not is_near(look, Source(file=series.file, time=max(times))):
        return None
    return max(series.samples) + 1


def _is_the_runs(look: Look, state: GpuState) -> bool:
    if state.origin == "this-host":
        return look.host_is_the_runs is True
    return is_near(look, state.source)


def _was_refused(look: Look) -> bool:
    """A rank that was refused its device saw fewer GPUs than the machine has."""
    logs = logs_of(look)
    return any(h.symptom in _REFUSED and not h.benign for h in logs.hits)


def _has_trained(look: Look) -> bool:
    """A run that stepped had a device for each rank; a report can leave GPUs out."""
    logs = look.fact(LogHits) if look.has(LogHits) else None
    return logs is not None and (logs.ended == "well" or bool(logs.steps))


PROBE = Probe(
    name="gpu-count",
    title=Text("GPUs and ranks of a node", "节点的 GPU 数与 rank 数"),
    tells=("gpus-for-ranks",),
    wants=(GpuState, GpuSeries, Launches, LogHits, RunConfig),
    seconds=0.02,
    run=run,
)
