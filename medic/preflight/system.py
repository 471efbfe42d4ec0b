"""Limits of this machine that end a run later: shared memory, open files, processes, locked
memory."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Machine
from medic.facts.memory import gib
from medic.i18n import Text
from medic.preflight.result import Result, Scene, not_ok, not_seen, ok

SHM = "/dev/shm"  # noqa: S108
# NVIDIA's containers ask for --shm-size=1g (NCCL documentation, troubleshooting); Docker gives 64 MiB.
SHM_LEAST = 1 << 30
# The usual soft limit. Each worker hands tensors over as open files; each peer rank takes sockets.
FILES_USUAL = 1024
MANY_WORKERS, MANY_RANKS = 8, 64
# A rank starts some dozens of threads (OpenMP, NCCL, CUDA, autograd), each counts as a process.
THREADS_OF_A_PROCESS = 32
LOCKED_LEAST = 1 << 30


def system(scene: Scene) -> Iterator[Result]:
    machine = scene.machine
    if machine is None:
        yield not_seen("shared-memory", scene.reason("machine"), SHM)
        return
    yield _shared_memory(scene, machine)
    yield _files(scene, machine)
    yield _processes(scene, machine)
    yield _locked(scene, machine)


def _shared_memory(scene: Scene, machine: Machine) -> Result:
    name, total, free = "shared-memory", machine.shm_total, machine.shm_free
    if total is None or free is None:
        return not_seen(name, Text("there is no /dev/shm", "没有 /dev/shm"), SHM)
    en, zh = f"{gib(free)} of {gib(total)} free", f"共 {gib(total)}，空闲 {gib(free)}"
    alone = scene.ranks() == 1 and scene.config.integer("num_workers") == 0
    if free < SHM_LEAST and not alone:
        en += ": too little for data loader workers and NCCL (--shm-size, --ipc=host)"
        zh += "：数据加载进程与 NCCL 不够用（--shm-size 或 --ipc=host）"
        return not_ok(name, en, zh, SHM)
    return ok(name, en, zh, SHM)


def _files(scene: Scene, machine: Machine) -> Result:
    name, looked = "open-files", "ulimit -n"
    if "n" not in machine.limits:
        return not_seen(name, Text("the system does not tell", "系统未提供"), looked)
    limit = machine.limits["n"]
    workers, world = (
        scene.config.integer("num_workers") or 0,
        scene.config.integer("world_size") or 1,
    )
    many = workers >= MANY_WORKERS or world >= MANY_RANKS
    if limit is not None and (limit < FILES_USUAL or (limit <= FILES_USUAL and many)):
        en = f"{limit} open files for {workers} workers a rank and {world} ranks: ulimit -n 65536"
        zh = f"每 rank {workers} 个数据进程、共 {world} 个 rank，只允许打开 {limit} 个文件：ulimit -n 65536"
        return not_ok(name, en, zh, looked, scene.field_source("num_workers"))
    return ok(name, _limit(limit), _limit(limit, "不限"), looked)


def _limit(limit: int | None, none: str = "unlimited") -> str:
    return none if limit is None else f"{limit:,}"


def _processes(scene: Scene, machine: Machine) -> Result:
    name, looked = "processes", "ulimit -u"
    if "u" not in machine.limits:
        return not_seen(name, Text("the system does not tell", "系统未提供"), looked)
    limit = machine.limits["u"]
    ranks = scene.ranks() or 1
    need = ranks * (1 + (scene.config.integer("num_workers") or 0)) * THREADS_OF_A_PROCESS
    if limit is not None and limit < need:
        en = (
            f"{limit:,} processes and threads; {ranks} ranks with their workers take about {need:,}"
        )
        zh = f"进程与线程上限 {limit:,}；{ranks} 个 rank 及其数据进程约需 {need:,}"
        return not_ok(name, en, zh, looked)
    return ok(name, _limit(limit), _limit(limit, "不限"), looked)


def _locked(scene: Scene, machine: Machine) -> Result:
    """RDMA pins the memory that it sends from."""
    name, looked = "locked-memory", "ulimit -l, /sys/class/infiniband"
    if "l" not in machine.limits:
        return not_seen(name, Text("the system does not tell", "系统未提供"), looked)
    limit = machine.limits["l"]
    off = scene.variable("NCCL_IB_DISABLE")
    rdma = machine.infiniband and (off is None or off.value.strip() != "1")
    several = (scene.config.integer("nodes") or 1) > 1
    short = limit is not None and limit < LOCKED_LEAST and not machine.may_lock
    if rdma and several and short:
        en = f"{_kib(limit)} of locked memory; InfiniBand needs it unlimited (ulimit -l unlimited)"
        zh = f"锁定内存上限 {_kib(limit)}；InfiniBand 需要不限制（ulimit -l unlimited）"
        return not_ok(name, en, zh, looked)
    if short:
        en, zh = "no InfiniBand in this launch", "本次启动不使用 InfiniBand"
        return ok(name, f"{_kib(limit)}; {en}", f"{_kib(limit)}；{zh}", looked)
    return ok(name, _kib(limit), "不限" if limit is None else _kib(limit), looked)


def _kib(limit: int | None) -> str:
    return "unlimited" if limit is None else f"{limit // 1024:,} KiB"
