"""This machine: its cores and memory, the disk that the run writes to, and its rendezvous port."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from medic.facts import Hit, Host, LogHits, Ports, Source
from medic.facts.memory import gib
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, config_of, logs_of
from medic.records import dataclass
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .gpu.nvml import gpu_count
from .host_ports import named_ports

# A checkpoint of a small model needs more than this; ext4 reserves 5% for root beyond what is told.
MIN_FREE_BYTES = 1 << 30
MIN_FREE_SHARE = 0.01
DISK_FULL, PORT_IN_USE = "disk-full", "port-in-use"
_LISTENS = "0A"  # of /proc/net/tcp (include/net/tcp_states.h)
_QUOTA = regex(r"quota", re.IGNORECASE)
_PORT = regex(r"\bport[:=]?\s*(\d{2,5})\b|:(\d{4,5})\b", re.IGNORECASE)


def _hits(look: Look, symptom: str) -> list[Hit]:
    logs = logs_of(look)
    found = [h for h in logs.hits if h.symptom == symptom and not h.benign]
    return sorted(found, key=lambda h: h.order)


# --- the machine ------------------------------------------------------------------------------


def describe(_: Look) -> Iterator[Host]:
    yield Host(
        name=socket.gethostname(),
        cores=_cores(),
        memory_total=_memory(),
        gpus=gpu_count(),
    )


def _memory() -> int:
    """Bytes of this machine's memory. psutil knows them everywhere, and takes long to load."""
    if sys.platform == "linux":
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    import psutil

    return int(psutil.virtual_memory().total)


def _cores() -> int:
    """Cores that this process may use: a container or a job may have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# --- disk -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Space:
    path: str
    free: int
    total: int
    free_files: int | None  # None where the file system does not count files

    @property
    def is_low(self) -> bool:
        few = self.free_files is not None and self.free_files == 0
        return few or self.free < max(MIN_FREE_BYTES, MIN_FREE_SHARE * self.total)


def disk(look: Look) -> Iterator[Finding | Skip]:
    hits = _hits(look, DISK_FULL)
    if look.host_is_the_runs is not True:
        yield Skip(
            needs=Text("the run to be on this machine", "该运行就在本机"), check="disk-space"
        )
        return
    if any(_QUOTA.search(h.source.text) for h in hits):
        yield Skip(needs=Text("the user's quota", "用户配额"), check="disk-space")
        return
    space = _space(_folder(look))
    if space is None or (space.is_low and not hits):
        yield Skip(
            needs=Text("the run's output folder", "运行的输出目录")
            if space is None
            else Text("a message that the disk is full", "磁盘已满的报错"),
            check="disk-space",
        )
        return
    value = {
        "path": space.path,
        "free": gib(space.free, 2),
        "total": gib(space.total),
        "free_files": space.free_files,
    }
    source = hits[0].source if hits else Source(file=space.path)
    yield Finding("disk-space", "full" if space.is_low else "space-left", value, source)


def _folder(look: Look) -> str | None:
    """Where the run writes: its output folder, else where its files lie."""
    named = config_of(look).get("output_dir")
    if isinstance(named, str) and Path(named).is_dir():
        return named
    for file in look.files("log", "metrics", "config", "checkpoint"):
        folder = Path(file.path).parent
        if Path(file.path).is_file():
            return str(folder)
    return None


def _space(path: str | None) -> Space | None:
    if path is None:
        return None
    try:
        use = shutil.disk_usage(path)
        files = os.statvfs(path)
    except OSError:
        return None
    return Space(path, use.free, use.total, files.f_favail if files.f_files else None)


# --- port -------------------------------------------------------------------------------------


def port_owner(look: Look) -> Iterator[Finding | Skip]:
    hits = _hits(look, PORT_IN_USE)
    port = _port(look, hits)
    if not hits or port is None:
        yield Skip(
            needs=Text("a message that the port is in use", "端口被占用的报错")
            if not hits
            else Text("the port", "端口号"),
            check="port-owner",
        )
        return
    if look.host_is_the_runs is not True:
        yield Skip(
            needs=Text("the run to be on this machine", "该运行就在本机"), check="port-owner"
        )
        return
    listening = _listening()
    if listening is None:
        yield Skip(
            needs=Text("permission to list connections", "列出网络连接的权限"), check="port-owner"
        )
        return
    pids = listening.get(port)
    if not pids:
        yield Finding("port-owner", "free", {"port": str(port)}, hits[0].source)
        return
    pid = next((p for p in pids if p), None)
    value = {"port": str(port), "pid": str(pid or "?"), "name": _process_name(pid)}
    yield Finding("port-owner", "held-by-a-process", value, hits[0].source)


def ports(look: Look) -> Iterator[Ports | Skip]:
    tables = _tables() if sys.platform == "linux" else None
    listening = _listening() if tables is None else tables
    if listening is None:
        yield Skip(needs=Text("permission to list connections", "列出网络连接的权限"))
    else:
        yield Ports(frozenset(listening), tuple(named_ports(look)))


def _tables() -> set[int] | None:
    """TCP ports that are listened on, of the kernel's own tables: nobody's processes are asked."""
    found: set[int] = set()
    try:
        for name in ("tcp", "tcp6"):
            table = Path("/proc/net") / name
            rows = table.read_text().splitlines()[1:] if table.exists() else []
            for row in rows:
                _, local, _, state = row.split(maxsplit=4)[:4]
                if state == _LISTENS:
                    found.add(int(local.rpartition(":")[2], 16))
    except (OSError, ValueError):
        return None
    return found


def _listening() -> dict[int, list[int | None]] | None:
    """TCP port -> ids of the processes that listen on it (None: another user's)."""
    import psutil

    try:
        connections = psutil.net_connections(kind="tcp")
    except (psutil.Error, OSError):
        return None
    found: dict[int, list[int | None]] = {}
    for connection in connections:
        if connection.status == psutil.CONN_LISTEN and connection.laddr:
            found.setdefault(connection.laddr.port, []).append(connection.pid)
    return found


def _port(look: Look, hits: list[Hit]) -> int | None:
    """The port that the message names, else the configured one."""
    for hit in hits:
        names = ("port", "bound", "listened")
        told = next((hit.captures[n] for n in names if hit.captures.get(n)), None)
        if told is None:
            found = _PORT.search(hit.source.text)
            told = (found[1] or found[2]) if found else None
        if told is not None and str(told).isdecimal() and 0 < int(told) < 65_536:
            return int(told)
    return config_of(look).integer("master_port")


def _process_name(pid: int | None) -> str:
    """The process's name; "?" for one of another user."""
    import psutil

    if pid is None:
        return "?"
    try:
        return str(psutil.Process(pid).name())[:200]
    except psutil.Error:
        return "?"


PROBES = (
    Probe(
        "host",
        (),
        describe,
        title=Text("this machine", "本机"),
        gives=(Host,),
        reads="this-host",
        seconds=0.3,
        limit_seconds=10,
    ),
    Probe(
        "ports",
        (),
        ports,
        title=Text("ports in use here", "本机已用端口"),
        gives=(Ports,),
        reads="this-host",
        seconds=0.1,
        limit_seconds=10,
    ),
    Probe(
        name="disk",
        title=Text("space on the disk", "磁盘空间"),
        tells=("disk-space",),
        run=disk,
        wants=(LogHits, RunConfig),
        reads="this-host",
        seconds=0.02,
        limit_seconds=5,  # a network file system can hang
    ),
    Probe(
        name="port",
        title=Text("the rendezvous port", "主端口"),
        tells=("port-owner",),
        run=port_owner,
        wants=(LogHits, RunConfig),
        reads="this-host",
        seconds=0.1,
        limit_seconds=10,
    ),
)
