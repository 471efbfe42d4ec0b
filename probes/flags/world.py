"""How many nodes and processes per node a launch asks for, and on which port they meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from medic.facts import Launch

from .counts import count_of
from .launch import words_of

TORCH_PORT = 29500  # default of torch.distributed.run and of deepspeed


class World(NamedTuple):
    """None where the command does not say it: nodes, processes per node, port."""

    nodes: int | None = None
    nproc: int | None = None
    port: int | None = None


def world_of(launch: Launch) -> World:
    """What the launcher's words and the environment say; defaults of the launcher count."""
    words = list(words_of(launch))
    environment = launch.environment
    read = {
        "torchrun": _torchrun,
        "tune": _torchrun,
        "deepspeed": _deepspeed,
        "accelerate": _accelerate,
        "srun": _srun,
        "mpirun": _mpirun,
    }.get(launch.launcher)
    if read is not None:
        return read(words, environment)
    return World(
        count_of(environment.get("NNODES")),
        count_of(environment.get("NPROC_PER_NODE")),
        count_of(environment.get("MASTER_PORT")),
    )


def option(words: Sequence[str], *names: str, prefixes: bool = True) -> str | None:
    """The last value of an option; ``-`` and ``_`` are alike, a unique beginning counts."""
    found: str | None = None
    for index, word in enumerate(words):
        name, sign, value = word.partition("=")
        if not _is_named(name, names, prefixes):
            continue
        if sign:
            found = value
        elif index + 1 < len(words):
            found = words[index + 1]
    return found


def _is_named(word: str, names: Sequence[str], prefixes: bool) -> bool:
    if not word.startswith("--"):
        return word in names
    spelt = word.replace("_", "-")
    shortest = 7  # "--nproc", "--maste…": shorter ones could mean several options
    return any(
        spelt == name or (prefixes and len(spelt) >= shortest and name.startswith(spelt))
        for name in names
    )


def _glued(words: Sequence[str], short: str) -> str | None:
    """The value of a short option of Slurm: ``-N 2`` or ``-N2``."""
    for index, word in enumerate(words):
        if word == short and index + 1 < len(words):
            return words[index + 1]
        if word.startswith(short) and not word.startswith("--") and word[len(short) :].isdecimal():
            return word[len(short) :]
    return None


def _torchrun(words: Sequence[str], environment: Mapping[str, str]) -> World:
    nodes = option(words, "--nnodes") or environment.get("PET_NNODES", "1")
    low, _, high = nodes.partition(":")
    elastic = bool(high) and high != low
    nproc = option(words, "--nproc-per-node") or environment.get("PET_NPROC_PER_NODE", "1")
    endpoint = option(words, "--rdzv-endpoint") or ""
    port = count_of(endpoint.rpartition(":")[2]) if ":" in endpoint else None
    if port is None and "--standalone" not in words and not endpoint:
        given = option(words, "--master-port") or environment.get("PET_MASTER_PORT")
        port = TORCH_PORT if given is None else count_of(given)
    return World(None if elastic else count_of(low), count_of(nproc), port)


def _deepspeed(words: Sequence[str], _: Mapping[str, str]) -> World:
    nodes = count_of(option(words, "--num-nodes"))
    nproc = count_of(option(words, "--num-gpus", "--num-accelerators"))
    include = option(words, "--include", "-i")
    if include is not None:
        hosts = include.split("@")
        slots = {len(host.split(":")[1].split(",")) for host in hosts if ":" in host}
        nodes = nodes or len(hosts)
        nproc = nproc or (slots.pop() if len(slots) == 1 and ":" in include else None)
    port = option(words, "--master-port")
    return World(nodes, nproc, TORCH_PORT if port is None else count_of(port))


def _accelerate(words: Sequence[str], _: Mapping[str, str]) -> World:
    machines = count_of(option(words, "--num-machines", prefixes=False))
    total = count_of(option(words, "--num-processes", "-n", prefixes=False))
    nproc = None
    if total is not None:
        # --num_processes counts the processes of all machines together.
        share = machines or (1 if "--config-file" not in _spelt(words) else None)
        nproc = total // share if share and total % share == 0 else None
    return World(machines, nproc, count_of(option(words, "--main-process-port", prefixes=False)))


def _spelt(words: Sequence[str]) -> list[str]:
    return [w.partition("=")[0].replace("_", "-") for w in words]


def _srun(words: Sequence[str], environment: Mapping[str, str]) -> World:
    nodes = count_of(
        option(words, "--nodes") or _glued(words, "-N") or environment.get("SLURM_NNODES")
    )
    nproc = count_of(option(words, "--ntasks-per-node") or environment.get("SLURM_NTASKS_PER_NODE"))
    total = count_of(
        option(words, "--ntasks") or _glued(words, "-n") or environment.get("SLURM_NTASKS")
    )
    if nproc is None and total is not None and nodes and total % nodes == 0:
        nproc = total // nodes
    return World(nodes, nproc, count_of(environment.get("MASTER_PORT")))


def _mpirun(words: Sequence[str], environment: Mapping[str, str]) -> World:
    total = count_of(option(words, "-np", "-n", "--np", "-c", prefixes=False))
    nproc = count_of(option(words, "-npernode", "--npernode", "-ppn", "-N", prefixes=False))
    nodes = total // nproc if total and nproc and total % nproc == 0 else None
    hosts = option(words, "-H", "-host", "--host", prefixes=False)
    if nodes is None and hosts is not None:
        nodes = len({host.partition(":")[0] for host in hosts.split(",")})
        nproc = total // nodes if nproc is None and total and total % nodes == 0 else nproc
    return World(nodes, nproc, count_of(environment.get("MASTER_PORT")))
