"""This machine, as a launch finds it."""

from __future__ import annotations

from collections.abc import Mapping

from medic.facts.files import Source
from medic.i18n import Text
from medic.records import dataclass, field


@dataclass(frozen=True)
class Host:
    """This machine."""

    name: str
    cores: int
    memory_total: int
    gpus: int | None = None


@dataclass(frozen=True)
class PortNamed:
    """A port behind a flag or variable of a script: its number, or None and the value as it is
    written; ``meets``: the ranks of a launch meet there."""

    name: str
    text: str
    port: int | None
    meets: bool
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Ports:
    """TCP ports of this machine that something listens on, and those that the scripts name."""

    listening: frozenset[int]
    named: tuple[PortNamed, ...] = ()


@dataclass(frozen=True)
class Variable:
    """An environment variable and who sets it: a script (file and line), or the shell that medic
    was started from (no file)."""

    name: str
    value: str
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Machine:
    """What a launch finds here beside GPUs and cores. Bytes; a limit is None where there is none.

    ``interfaces``: network interface -> whether it is up. ``limits``: soft limits by their letter
    of ``ulimit`` (n files, u processes, l locked bytes). ``python``, ``packages`` and
    ``torch_cuda`` are of the interpreter that ``python`` starts; empty if it could not be told.
    ``headers``: the folder of its Python.h, empty if it has none, None if it could not be told.
    """

    interfaces: Mapping[str, bool] = field(default_factory=dict)
    shm_total: int | None = None
    shm_free: int | None = None
    limits: Mapping[str, int | None] = field(default_factory=dict)
    may_lock: bool = False
    infiniband: tuple[str, ...] = ()
    compiler: str = ""
    headers: str | None = ""
    python: str = ""
    packages: Mapping[str, str] = field(default_factory=dict)
    torch_cuda: str = ""
    triton_pin: str = ""
    variables: tuple[Variable, ...] = ()


PROGRAM = "program"  # the key of the program that a launch starts


@dataclass(frozen=True)
class Place:
    """A path that the launch names. ``key`` is the flag or key that it stands behind, "" for a word
    alone, PROGRAM for what is started. ``holder`` is the nearest folder of it that exists; ``sure``
    is False where the run may see another folder than this shell, and ``elsewhere`` is the line that
    says so (``cd``, a container; without its text: the program of the launch lies beside the script);
    ``lacks`` is the ending of the one that is not there of two files that the path is the beginning of;
    ``unfit`` says why what is there is not what the run is to find; ``absent`` what the program does
    where the path is not there and it does not stop, ``optional`` whether that is as it should be."""

    key: str
    path: str
    exists: bool
    writable: bool
    source: Source = field(default_factory=Source)
    holder: str = ""
    free: int | None = None
    free_files: int | None = None
    sure: bool = True
    lacks: str = ""
    unfit: Text | None = None
    absent: Text | None = None
    optional: bool = False
    elsewhere: Source = field(default_factory=Source)


@dataclass(frozen=True)
class UnknownPath:
    """A path as it is written, with a variable that only the running shell knows."""

    key: str
    text: str
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Places:
    """Where the run writes, and what it reads; ``left`` is an output folder as it is written, where
    only the running shell knows it, and ``unknown`` what is read so. ``beside`` are the folders that
    it fills beside its output: caches, and what is offloaded to a disk; ``others`` those that further
    commands of the scripts write to."""

    output: Place | None = None
    inputs: tuple[Place, ...] = ()
    left: str = ""
    unknown: tuple[UnknownPath, ...] = ()
    beside: tuple[Place, ...] = ()
    others: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Mount:
    """A file system as ``df`` tells it, in bytes (inodes where ``inodes``)."""

    path: str
    total: int
    free: int
    source: Source
    inodes: bool = False


@dataclass(frozen=True)
class Cgroup:
    """The memory of a job or container as ``/sys/fs/cgroup`` tells it: its limit in bytes, how often
    the limit was met without a way out (``oom``), and how many processes were killed."""

    limit: int
    out_of_memory: int
    killed: int
    source: Source


@dataclass(frozen=True)
class HostReport:
    """What a saved text tells of some machine: ``collect_env``, ``df``, ``ip addr``, topology.

    ``interfaces``: name -> whether it is up. ``gpus``: their names in order. ``links``: how two
    GPUs are joined (NV18, PIX, PHB, SYS, …), by their indexes.
    """

    file: str
    mounts: tuple[Mount, ...] = ()
    interfaces: Mapping[str, bool] = field(default_factory=dict)
    gpus: tuple[str, ...] = ()
    links: Mapping[tuple[int, int], str] = field(default_factory=dict)
    memory_total: int | None = None
    cgroup: Cgroup | None = None


@dataclass(frozen=True)
class HostReports:
    reports: tuple[HostReport, ...] = ()
