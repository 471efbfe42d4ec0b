"""The address and the interface by which the ranks of a job on several nodes meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from medic.facts import Launch
from medic.i18n import Text
from medic.text.patterns import regex

from .layout import ENDPOINT, LOCAL, LOOPBACK, Fault
from .option_words import option_word, set_once
from .script_text import ScriptText
from .slurm import Allocation
from .world import world_of

_EXPORTED = regex(r"(?m)^\s*export\s+(?:\w+=\S*\s+)*MASTER_ADDR\b")
_SRUN = regex(r"(?m)^\s*(?:\w+=\S*\s+)*srun\s(?!.*(?:-N ?1|--nodes[= ]1)\b)")
_INTERFACES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")
_LOOP = regex(r"^=?lo$")
_LOOP_INTERFACE = Text(
    "{name}={value}: the loopback interface reaches no other machine, and the run has {nodes} nodes",
    "{name}={value}：回环网卡到不了其他机器，而训练有 {nodes} 个节点",
)
_RANKS = ("--node-rank", "--machine-rank")
_APART = Text(
    "rank {rank} is sent to port {port}, and rank {other} of line {line} to port {first}: they wait for each "
    "other at different ports",
    "rank {rank} 去端口 {port}，而第 {line} 行的 rank {other} 去端口 {first}：两者在不同端口互相等待",
)


def ports_apart(launches: Sequence[Launch]) -> Iterator[Fault]:
    """Commands of one job, each of another rank or node rank, that a script gives different ports
    (torch ``distributed/rendezvous.py``: ``env://`` reads RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT)."""
    jobs: dict[tuple[str, str, str], dict[int, tuple[Launch, int]]] = {}
    twice: set[tuple[str, str, str]] = set()
    for launch in launches:
        world, environment = world_of(launch), launch.environment
        rank, port = _rank(launch), world.port
        size = environment.get("WORLD_SIZE") or str(world.nodes)
        if rank is None or port is None or size in ("1", "None"):
            continue
        script = launch.script.value if launch.script is not None else None
        job = (script or "", size, environment.get("MASTER_ADDR", ""))
        if rank in jobs.setdefault(job, {}):
            twice.add(job)  # several jobs, one after the other
        jobs[job].setdefault(rank, (launch, port))
    for job, ranks in jobs.items():
        if job not in twice and len(ranks) > 1:
            yield from _apart(ranks)


def _apart(ranks: Mapping[int, tuple[Launch, int]]) -> Iterator[Fault]:
    lead = min(ranks)
    first, at = ranks[lead]
    for rank, (launch, port) in ranks.items():
        if port != at:
            what = _APART.fill(
                rank=rank, port=str(port), other=lead, line=first.span.line, first=str(at)
            )
            yield Fault(ENDPOINT, what, launch.span)
            return


def _rank(launch: Launch) -> int | None:
    said = option_word(launch.launcher_words, *_RANKS)
    value = said[1] if said is not None else launch.environment.get("RANK", "")
    return int(value) if value.isdecimal() else None


def loopback_of_job(script: ScriptText, allocation: Allocation) -> Iterator[Fault]:
    """``export MASTER_ADDR=localhost`` in a job of several nodes whose commands ``srun`` starts."""
    found, nodes = set_once(script, "MASTER_ADDR"), allocation.nodes or 1
    if nodes <= 1 or found is None or not LOOPBACK.match(found[0]):
        return
    if _EXPORTED.search(script.text) and _SRUN.search(script.text):
        yield Fault(ENDPOINT, LOCAL.fill(address=found[0], nodes=nodes), found[1])


def loopback_interface(
    script: ScriptText, allocation: Allocation, launches: Sequence[Launch]
) -> Iterator[Fault]:
    """NCCL and gloo listen at the interface that is named (NCCL documentation: NCCL_SOCKET_IFNAME)."""
    counts = [allocation.nodes or 1, *(world_of(one).nodes or 1 for one in launches)]
    for name in _INTERFACES if max(counts) > 1 else ():
        found = set_once(script, name)
        if found is not None and _LOOP.match(found[0]):
            what = _LOOP_INTERFACE.fill(name=name, value=found[0], nodes=max(counts))
            yield Fault(ENDPOINT, what, found[1])
