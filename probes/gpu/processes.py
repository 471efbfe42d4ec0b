"""Whether a process that is not the run's holds memory on a GPU that the run uses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from medic.facts import Gpu, GpuProcess, GpuState, Launches, LogHits
from medic.facts.memory import gib
from medic.probe import Finding, Look, config_of
from medic.text.patterns import regex

# A CUDA context without tensors takes 0.3 to 0.9 GiB; ranks that open one on GPU 0 do no harm.
OTHER_BYTES = 1 << 30
THRESHOLD = "held-bytes"
_PID = regex(r"\bpid[:=)]?\s*(\d{2,8})\b", re.IGNORECASE)


def judge(look: Look, state: GpuState, *, over: bool, own: Collection[int] = ()) -> Finding | None:
    """The finding, or None where no GPU told its processes.

    ``over``: the run had ended when the state was taken. ``own``: process ids of the run.
    """
    used = devices(look)
    gpus = [g for g in state.gpus if used is None or g.index in used]
    if not any(g.processes for g in gpus) and not any(g.used is not None for g in gpus):
        return None
    known = {*own, *pids_of_log(look)}
    expected = max(1, -(-(ranks(look) or 1) // max(1, len(gpus))))
    for gpu in gpus:
        other = _other(gpu, known, over=over, expected=expected, least=_least(look))
        if other is not None:
            return Finding(
                "gpu-processes", "other-process-holds-memory", _value(gpu, other), state.source
            )
    return Finding("gpu-processes", "only-this-run", {"gpus": len(gpus)}, state.source)


def _least(look: Look) -> float:
    try:
        return look.threshold(THRESHOLD)
    except KeyError:
        return OTHER_BYTES


def _other(
    gpu: Gpu, known: Collection[int], *, over: bool, expected: int, least: float
) -> GpuProcess | None:
    """The process that holds most of what is not the run's."""
    held = [p for p in gpu.processes if p.used is not None and p.used >= least]
    if over:
        others = held
    elif any(p.pid in known for p in held):
        others = [p for p in held if p.pid not in known]
    elif len(held) > expected and not all(p.name.startswith("ray::") for p in held):
        others = _strangers(held, len(held) - expected)
    else:
        others = []
    return max(others, key=lambda p: p.used or 0, default=None)


def _strangers(held: Sequence[GpuProcess], count: int) -> list[GpuProcess]:
    """Of more processes than ranks, those of another name, else the ones started first."""
    names = Counter(p.name for p in held)
    pythons = [p for p in held if "python" in p.name]
    if pythons and len(pythons) < len(held):
        return [p for p in held if p not in pythons]
    common = names.most_common(1)[0][0]
    odd = [p for p in held if p.name != common]
    return odd or sorted(held, key=lambda p: p.pid)[:count]


def _value(gpu: Gpu, process: GpuProcess) -> dict[str, object]:
    return {
        "pid": str(process.pid),
        "name": process.name,
        "used": gib(process.used or 0, 2),
        "used_bytes": process.used,
        "gpu": gpu.index,
    }


def pids_of_log(look: Look) -> set[int]:
    """Process ids that the run's own launcher and errors print."""
    logs = look.fact(LogHits) if look.has(LogHits) else None
    if logs is None:
        return set()
    sources = (*(h.source for h in logs.hits), *logs.tail, *logs.exceptions)
    return {int(found[1]) for s in sources for found in _PID.finditer(s.text[:4096])}


def ranks(look: Look) -> int | None:
    """Ranks on one node as configured, or as the logs of a single node show."""
    config = config_of(look)
    nodes = config.integer("nodes")
    each = config.integer("gpus_per_node")
    world = config.integer("world_size")
    if each:
        return each
    if world and nodes:
        return -(-world // nodes)
    logs = look.fact(LogHits) if look.has(LogHits) else None
    if logs is not None and logs.ranks and nodes in (None, 1):
        return max(logs.ranks) + 1
    return world if nodes is None else None


def devices(look: Look) -> frozenset[int] | None:
    """Indexes of the GPUs that the run may use: CUDA_VISIBLE_DEVICES; None if not told."""
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    for launch in launches:
        listed = launch.environment.get("CUDA_VISIBLE_DEVICES")
        if listed is not None and re.fullmatch(r"\d+(?:\s*,\s*\d+)*", listed.strip()):
            return frozenset(int(i) for i in listed.split(","))
    return None
