"""Ranks, ports, loader workers and time limits."""

from __future__ import annotations

from medic.changes.known import Computed, ImpossibleError, Known, MissingError
from medic.facts import Collectives, GpuState, Host, Ports, Preparing
from medic.i18n import Text

FIRST_PORT = 29_500  # torchrun's default
LAST_PORT = 65_535
MOST_WORKERS = 8  # gains end at 3-4 a rank; more costs host memory
FEW_WORKERS = 2  # one is read while the other is used


def world_from_nodes(known: Known, field: str) -> Computed:
    """The third of world size = nodes x GPUs per node."""
    if field == "world_size":
        nodes, gpus = known.wholes("nodes", "gpus_per_node")
        return Computed(nodes * gpus, Text(f"{nodes} x {gpus}", f"{nodes} x {gpus}"))
    other = "nodes" if field == "gpus_per_node" else "gpus_per_node"
    world, divisor = known.wholes("world_size", other)
    if world % divisor:
        raise ImpossibleError(
            Text(f"{world} ranks / {divisor} is no whole number", f"{world} / {divisor} 不是整数")
        )
    return Computed(world // divisor, Text(f"{world} / {divisor}", f"{world} / {divisor}"))


def gpus_from_host(known: Known, field: str) -> Computed:
    """The GPUs that the node has; for ``world_size``, on all nodes."""
    gpus = _gpus(known)
    why = Text(f"the node has {gpus} GPUs", f"本节点有 {gpus} 张 GPU")
    return Computed(gpus * known.whole("nodes") if field == "world_size" else gpus, why)


def _gpus(known: Known) -> int:
    state, host = known.fact(GpuState), known.fact(Host)
    if known.has("node_gpus"):
        return known.whole("node_gpus")
    if state is not None and state.gpus:
        return len(state.gpus)
    if host is not None and host.gpus:
        return host.gpus
    raise MissingError("node_gpus")


def fewer_workers(known: Known, field: str) -> Computed:
    """Two workers a rank. Raises ImpossibleError where there are no more than that."""
    old = known.config.integer(field)
    if old is not None and old <= FEW_WORKERS:
        raise ImpossibleError(
            Text(
                f"the run has {old} workers per rank already", f"每个 rank 现在只有 {old} 个 worker"
            )
        )
    return Computed(FEW_WORKERS, Text("", ""))


def workers_from_cores(known: Known, field: str) -> Computed:
    """cores / ranks of the node - 1, at most 8. Raises ImpossibleError if that is no increase."""
    cores = _cores(known)
    ranks = known.whole("gpus_per_node")
    workers = min(MOST_WORKERS, cores // ranks - 1)
    old = known.config.integer(field)
    if workers < 1 or (old is not None and old >= workers):
        raise ImpossibleError(
            Text(
                f"{cores} cores for {ranks} ranks leave no more workers",
                f"{cores} 核分给 {ranks} 个 rank，已无余量增加 worker",
            )
        )
    each = "rank" if ranks == 1 else "ranks"
    why = Text(f"{cores} cores / {ranks} {each} - 1", f"{cores} 核 / {ranks} rank - 1")
    return Computed(workers, why)


def _cores(known: Known) -> int:
    if known.has("node_cores"):
        return known.whole("node_cores")
    host = known.fact(Host)
    if host is None:
        raise MissingError("node_cores")
    return host.cores


def next_free_port(known: Known, field: str) -> Computed:
    """The next port that nothing is known to listen on."""
    ports = known.fact(Ports)
    taken = ports.listening if ports is not None else frozenset()
    start = known.whole(field) if known.has(field) else FIRST_PORT
    free = (p for p in range(start + 1, LAST_PORT + 1) if p not in taken)
    port = next(free, None)
    if port is None:
        raise ImpossibleError(Text("no port above it is free", "其后没有空闲端口"))
    return Computed(port, Text("the next port", "下一个端口"))


def doubled_timeout(known: Known, field: str) -> Computed:
    """Twice the stated timeout, or the one that the watchdogs had where none is stated; twice what the
    work takes that the others wait for, where that is more."""
    work = known.fact(Preparing)
    told = known.fact(Collectives)
    limits = [t.timeout_ms for t in told.timeouts if t.timeout_ms] if told is not None else []
    seconds = known.whole(field) if known.has(field) or not limits else max(limits) // 1000
    if work is not None:
        seconds = max(seconds, work.seconds)
    return Computed(2 * seconds, Text(f"2 x {seconds} s", f"2 x {seconds} s"))
