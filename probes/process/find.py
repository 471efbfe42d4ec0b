"""The processes of a job on this node, from /proc alone: nothing is sent to any of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from medic.records import dataclass, field
from medic.text.patterns import regex
from medic.text.safetext import one_line

PROC = Path("/proc")
MAX_ENVIRON, MAX_COMMAND = 1 << 20, 1 << 16
# The rank as launchers tell it: torchrun, deepspeed, accelerate; Open MPI; Slurm; MPICH.
RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMI_RANK")
LOCAL_RANKS = ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID")
WORLDS = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", "PMI_SIZE")
LOCAL_WORLDS = ("LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE")
# The job that a rank belongs to.
JOBS = ("TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT", "SLURM_JOB_ID", "PMIX_NAMESPACE")
# Where PyTorch's flight recorder writes its dumps: a prefix, then the rank.
DUMP_PREFIXES = ("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE")
_WANTED = frozenset({*RANKS, *LOCAL_RANKS, *WORLDS, *LOCAL_WORLDS, *JOBS, *DUMP_PREFIXES})
# What PyTorch since 2.5 calls the processes of a data loader: one that lost its parent is no rank.
WORKER_NAMES = frozenset({"pt_data_worker", "pt_data_pin"})
_PYTHON = regex(r"(?:^|/)(?:python|pypy|pt_main_thread)[\d.]*$")
_LOCAL_RANK_FLAG = regex(r"--local[-_]rank[= ](\d{1,5})(?:\s|$)")


@dataclass(frozen=True)
class Process:
    """One process as /proc tells it; ``variables`` are those that say which rank it is."""

    pid: int
    parent: int
    command: str
    python: bool
    name: str = ""  # as the process calls itself
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def rank(self) -> int | None:
        return _number(self.variables, RANKS)

    @property
    def local_rank(self) -> int | None:
        told = _number(self.variables, LOCAL_RANKS)
        if told is None and (found := _LOCAL_RANK_FLAG.search(self.command)):
            return int(found[1])
        return told

    @property
    def world(self) -> int | None:
        return _number(self.variables, WORLDS)

    @property
    def local_world(self) -> int | None:
        return _number(self.variables, LOCAL_WORLDS)

    @property
    def job(self) -> tuple[str, ...]:
        """What all ranks of a job have in common."""
        return tuple(self.variables.get(name, "") for name in JOBS)


def _number(variables: Mapping[str, str], names: Iterable[str]) -> int | None:
    for name in names:
        value = variables.get(name, "")
        if value.isdecimal() and len(value) < 7:
            return int(value)
    return None


# --- reading /proc ----------------------------------------------------------------------------


def processes() -> dict[int, Process]:
    """All processes that may be read, by id."""
    found = {}
    with suppress(OSError):
        for name in os.listdir(PROC):  # noqa: PTH208 - names, not paths
            if name.isdecimal() and (made := _process(int(name))) is not None:
                found[made.pid] = made
    return found


def _process(pid: int) -> Process | None:
    folder = PROC / str(pid)
    try:
        stat = (folder / "stat").read_text("utf-8", "replace")
        words = _bytes(folder / "cmdline", MAX_COMMAND).split(b"\0")
    except OSError:
        return None
    command = " ".join(w.decode("utf-8", "replace") for w in words if w)
    fields = stat.rpartition(")")[2].split()
    first = words[0].decode("utf-8", "replace") if words else ""
    name = stat.partition("(")[2].rpartition(")")[0]
    python = bool(_PYTHON.search(first) or _PYTHON.search(name) or _runs_python(folder))
    return Process(
        pid, int(fields[1]), one_line(command, 400) or f"[{one_line(name, 40)}]", python, name,
        dict(_variables(folder)),
    )  # fmt: skip


def _runs_python(folder: Path) -> bool:
    with suppress(OSError):
        return bool(_PYTHON.search(os.readlink(folder / "exe")))  # noqa: PTH115 - of /proc
    return False


def _variables(folder: Path) -> Iterator[tuple[str, str]]:
    """Those that tell the rank; nothing else of the environment is kept."""
    with suppress(OSError):
        for pair in _bytes(folder / "environ", MAX_ENVIRON).split(b"\0"):
            name, _, value = pair.partition(b"=")
            key = name.decode("utf-8", "replace")
            if key in _WANTED:
                yield key, one_line(value.decode("utf-8", "replace"), 200)


def _bytes(path: Path, limit: int) -> bytes:
    with path.open("rb") as file:
        return file.read(limit)


# --- which of them are ranks ------------------------------------------------------------------


def ranks_of(pids: Iterable[int], every: Mapping[int, Process]) -> list[Process]:
    """The ranks of the jobs that these processes belong to, by rank, then id.

    A process that no launcher gave a rank stands for itself; its Python children are the ranks if
    it is a launcher (they share its parent id and command, not its rank).
    """
    found: dict[int, Process] = {}
    for pid in pids:
        for process in _ranks_of_one(pid, every):
            found[process.pid] = process
    return sorted(found.values(), key=lambda p: (p.rank is None, p.rank or 0, p.pid))


def _ranks_of_one(pid: int, every: Mapping[int, Process]) -> list[Process]:
    own = every.get(pid)
    if own is None:
        return []
    if own.rank is not None:
        return _one_a_rank(p for p in heads(every) if p.job == own.job)
    below = [p for p in heads(every) if _is_below(p, pid, every)]
    if below:
        return _one_a_rank(below)
    children = [p for p in every.values() if p.parent == pid and _is_spawned(p)]
    if children:
        return children
    return [p for p in every.values() if p.parent == own.parent and _same_spawn(p, own)] or [own]


def _one_a_rank(found: Iterable[Process]) -> list[Process]:
    """The oldest of each rank: a loader worker that lost its parent keeps the rank's variables."""
    oldest: dict[int | None, Process] = {}
    for process in sorted(found, key=lambda p: p.pid):
        oldest.setdefault(process.rank, process)
    return list(oldest.values())


def heads(every: Mapping[int, Process]) -> list[Process]:
    """Python processes with a rank whose parent is not the same rank: no loader workers."""
    found = []
    for process in every.values():
        parent = every.get(process.parent)
        same = parent is not None and parent.python and parent.rank == process.rank
        same = same and parent is not None and parent.job == process.job
        worker = process.name in WORKER_NAMES
        if process.rank is not None and process.python and not same and not worker:
            found.append(process)
    return found


def _is_below(process: Process, pid: int, every: Mapping[int, Process]) -> bool:
    parent, depth = process.parent, 0
    while parent and depth < 16:
        if parent == pid:
            return True
        parent, depth = every[parent].parent if parent in every else 0, depth + 1
    return False


def _is_spawned(process: Process) -> bool:
    """A process that torch.multiprocessing.spawn started: its rank stands nowhere in /proc."""
    return process.python and "multiprocessing.spawn" in process.command


def _same_spawn(process: Process, other: Process) -> bool:
    return process.pid == other.pid or (_is_spawned(process) and _is_spawned(other))


def children_of(pid: int, every: Mapping[int, Process]) -> list[Process]:
    """Python processes that a rank started: data loader workers and other helpers."""
    return sorted((p for p in every.values() if p.parent == pid and p.python), key=lambda p: p.pid)
