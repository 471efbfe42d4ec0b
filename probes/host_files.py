"""Saved texts about a machine: collect_env, df, ip addr, topology, meminfo. Any node's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Cgroup, GivenFile, HostReport, HostReports, Launches, LogHits, Mount, Source
from medic.facts.interfaces import IFNAMES, chosen
from medic.facts.memory import gib
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, Skip, Unread, config_of, logs_of, source_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from .host import MIN_FREE_BYTES, MIN_FREE_SHARE

MAX_FILES, MAX_LINES = 64, 20_000
MAX_PASTED = 64 << 10  # bytes of a log that is read for rows of df: what a person pastes is short
ROOM = 0.1  # of a file system: with less, what the failing write left may have made the difference
DISK, SHM, INTERFACE = "disk-space", "shared-memory-size", "network-interface"
MEMORY = "host-memory-limit"
_ESCAPES = regex(r"\x1b\[[\d;]*m")
_GPU = regex(r"^GPU \d{1,3}: (\S.{0,80}?)(?: \(UUID.*)?$")
_INTERFACE = regex(r"^\d{1,4}: ([\w.-]{1,40})(?:@\S+)?: <([A-Z_,-]+)> mtu")
_LIMIT = regex(r"memory\.(?:max|limit_in_bytes)\W{1,4}(\d{6,19})\s*$")
_ALONE = regex(r"^\s*(\d{6,19})\s*$")
_EVENT = regex(r"^(?:\S*memory\.events:)?(oom|oom_kill) (\d{1,18})\s*$")
_UNLIMITED = 1 << 50  # version 1 writes a number near 2^63 where there is no limit
_TOTAL = regex(r"^MemTotal:\s+(\d{1,18}) kB")
_SIZE = regex(r"^(\d{1,18}(?:\.\d{1,3})?)([KMGTPE]?)i?B?$")
_ROW = regex(r"^\S+\s+\d[\d.]*[GTP]\s+\d[\d.]*[KMGTP]?\s+\d[\d.]*[KMGTP]?\s+\d{1,3}%\s+/")
_HEAD = regex(r"^Filesystem\s+(Type\s+)?(\S+)")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}
# File systems that are full by nature, or hold nothing of a run.
_PSEUDO = regex(r"^/(?:snap|sys|proc|run|boot|dev(?!/shm))(?:/|$)")
_INODES = Text("{n} inodes", "{n} 个 inode")
_PATH = regex(r"(/[\w.+-]+(?:/[\w.+-]+)+)")


def read(look: Look) -> Iterator[HostReports | Unread]:
    reports = []
    short = [f for f in look.files("log") if 0 < f.size <= MAX_PASTED][:MAX_FILES]
    for file in (*look.files("host-report")[:MAX_FILES], *short):
        found = _report(look, file)
        if file.kind == "log":
            # Beside the lines of a run only the rows of df are surely a node's.
            if isinstance(found, HostReport) and found.mounts:
                reports.append(HostReport(file.name, found.mounts))
        elif isinstance(found, Unread):
            yield found
        else:
            reports.append(found)
    if reports:
        yield HostReports(tuple(reports))


def _report(look: Look, file: GivenFile) -> HostReport | Unread:
    try:
        return report(file, islice(look.lines(file.path), MAX_LINES))
    except Unreadable as problem:
        return Unread(file.name, Text(problem.en, problem.zh))


def report(file: GivenFile, lines: Iterator[tuple[int, str]]) -> HostReport:
    """All that the text tells, whatever program printed it; several outputs may be in one file."""
    mounts: list[Mount] = []
    interfaces: dict[str, bool] = {}
    gpus: list[str] = []
    links: dict[tuple[int, int], str] = {}
    memory, unit, typed = None, "", False
    counted: dict[str, tuple[int, Source]] = {}
    limited = False  # the line before names the file with the limit
    for number, raw in lines:
        line = _ESCAPES.sub("", raw)
        if found := _LIMIT.search(line) or (_ALONE.match(line) if limited else None):
            counted.setdefault("limit", (int(found[1]), Source(file.name, number, text=line)))
        elif found := _EVENT.match(line):
            counted.setdefault(found[1], (int(found[2]), Source(file.name, number, text=line)))
        limited = "memory.max" in line or "memory.limit_in_bytes" in line
        if head := _HEAD.match(line):
            typed, unit = bool(head[1]), head[2]
        elif mount := _mount(line, unit, typed, Source(file.name, number, text=line)):
            mounts.append(mount)
        elif found := _INTERFACE.match(line):
            interfaces[found[1]] = "UP" in found[2].split(",")
        elif found := _GPU.match(line.strip()):
            gpus.append(found[1])
        elif found := _TOTAL.match(line):
            memory = int(found[1]) * 1024
        elif line.startswith("GPU"):
            links |= _links(line.split())
        elif not line.strip():
            unit = ""
    return HostReport(
        file.name, tuple(mounts), interfaces, tuple(gpus), links, memory, _cgroup(counted)
    )


def _cgroup(counted: Mapping[str, tuple[int, Source]]) -> Cgroup | None:
    if not counted.keys() >= {"limit", "oom", "oom_kill"}:
        return None
    limit, oom, killed = (counted[name] for name in ("limit", "oom", "oom_kill"))
    return Cgroup(limit[0], oom[0], killed[0], killed[1])


def _mount(line: str, unit: str, typed: bool, source: Source) -> Mount | None:
    """A row of df: total, used, free, per cent, path; sizes as -h, -k or -i print them. Of a row
    without its heading (no ``unit``) the sizes must have units of bytes: those of K and M may count
    inodes."""
    if not unit and not _ROW.match(line):
        return None
    words = line.split()
    at = 2 if typed else 1
    if len(words) < at + 5 or not words[at + 3].endswith(("%", "-")):
        return None
    total, free = _bytes(words[at], unit), _bytes(words[at + 2], unit)
    if total is None or free is None:
        return None
    return Mount(" ".join(words[at + 4 :]), total, free, source, unit == "Inodes")


def _bytes(word: str, unit: str) -> int | None:
    found = _SIZE.match(word)
    if found is None:
        return None
    factor = {"1K-blocks": 1 << 10, "1024-blocks": 1 << 10, "1M-blocks": 1 << 20}.get(unit, 1)
    return int(float(found[1]) * _UNITS[found[2]] * factor)


def _links(words: Sequence[str]) -> dict[tuple[int, int], str]:
    """A row of ``nvidia-smi topo -m``: GPU0 X NV18 …"""
    if not re.fullmatch(r"GPU\d{1,3}", words[0]) or len(words) < 2:
        return {}
    row = int(words[0][3:])
    found = {}
    for column, word in enumerate(words[1:]):
        if not re.fullmatch(r"X|NV\d+|PIX|PXB|PHB|NODE|SYS", word):
            break
        if word != "X":
            found[row, column] = word
    return found


# --- what they say of the run -----------------------------------------------------------------


def judge(look: Look) -> Iterator[Finding | Skip]:
    reports = look.fact(HostReports).reports
    yield from _disk(look, reports)
    yield from _shared_memory(look, reports)
    yield from _interfaces(look, reports)
    yield from _limit(look, reports)


def _limit(look: Look, reports: Sequence[HostReport]) -> Iterator[Finding]:
    """A cgroup whose processes were killed at its own limit, and a log that tells of a kill."""
    hits = [h for h in logs_of(look).hits if h.symptom == "host-out-of-memory" and not h.benign]
    for cgroup in (r.cgroup for r in reports if r.cgroup is not None):
        if hits and cgroup.limit < _UNLIMITED and cgroup.out_of_memory and cgroup.killed:
            value = {"limit": gib(cgroup.limit, 0), "killed": cgroup.killed}
            found = (hits[0].source,)
            yield Finding(MEMORY, "limit-of-the-job", value, cgroup.source, found, exact=True)
            return


def _disk(look: Look, reports: Sequence[HostReport]) -> Iterator[Finding]:
    """Of the file system that the message of a full disk, or the configuration, names."""
    logs = logs_of(look)
    hits = [h for h in logs.hits if h.symptom == "disk-full" and not h.benign]
    mounts = [m for r in reports for m in r.mounts if not _PSEUDO.match(m.path)]
    if not hits or not mounts:
        return
    paths = [p for h in hits for p in _PATH.findall(h.source.text)]
    config = config_of(look)
    named = config.get("output_dir")
    paths += [named] if isinstance(named, str) and named.startswith("/") else []
    full = [m for m in _holding(paths, mounts) if _is_full(m)]
    if not full and not paths:
        full = [m for m in mounts if _is_full(m)]
        full = full if len(full) == 1 else []
    for mount in full[:1]:
        outcome = "no-inodes" if mount.inodes else "full"
        yield Finding(DISK, outcome, _value(mount), mount.source, (hits[0].source,))
    room = None if full else _with_room(paths, mounts)
    if room is not None:
        yield Finding(DISK, "room-shown", _value(room), room.source, (hits[0].source,))


def _with_room(paths: Sequence[str], mounts: Sequence[Mount]) -> Mount | None:
    """The file system that was written to, where df shows bytes left there: the one that holds the
    named paths, or with none named the first of several that all have room. None if a table of
    inodes, or another row, tells of one that is full."""
    asked = _holding(paths, mounts) if paths else list(mounts)
    if paths and any(m.path == "/" for m in asked):
        return None  # the folder may be a mount of its own that the table leaves out
    bytes_of = [m for m in asked if not m.inodes]
    if any(_is_full(m) for m in asked) or not bytes_of:
        return None
    roomy = [m for m in bytes_of if m.total > 0 and m.free >= ROOM * m.total]
    return roomy[0] if len(roomy) == len(bytes_of) else None


def _holding(paths: Sequence[str], mounts: Sequence[Mount]) -> list[Mount]:
    """For each path the file systems, bytes and inodes, with the longest matching mount point."""
    found = []
    for path in paths:
        fit = [m for m in mounts if path == m.path or path.startswith(m.path.rstrip("/") + "/")]
        longest = max((len(m.path) for m in fit), default=0)
        found += [m for m in fit if len(m.path) == longest]
    return found


def _is_full(mount: Mount) -> bool:
    if mount.inodes:
        return mount.total > 0 and mount.free == 0
    return mount.free < max(MIN_FREE_BYTES, MIN_FREE_SHARE * mount.total)


def _value(mount: Mount) -> dict[str, object]:
    if mount.inodes:
        free, total = (_INODES.fill(n=f"{n:,}") for n in (mount.free, mount.total))
        return {"path": mount.path, "free": free, "total": total}
    return {
        "path": mount.path,
        "free": gib(mount.free, 2),
        "total": gib(mount.total),
    }


def _shared_memory(look: Look, reports: Sequence[HostReport]) -> Iterator[Finding]:
    least = look.threshold("shared-memory-bytes")
    mounts = [m for r in reports for m in r.mounts if m.path == "/dev/shm" and not m.inodes]  # noqa: S108
    small = [m for m in mounts if m.total < least or m.free < 0.01 * m.total]
    for mount in (small or mounts)[:1]:
        yield Finding(SHM, "too-small" if small else "enough", _value(mount), mount.source)


def _interfaces(look: Look, reports: Sequence[HostReport]) -> Iterator[Finding]:
    """An interface that the launch names and a node does not have."""
    launches = look.fact(Launches).launches if look.has(Launches) else ()
    for launch in launches:
        for name in IFNAMES:
            value = launch.environment.get(name, "")
            for one in reports:
                if not one.interfaces or not value or "$" in value:
                    continue
                if not chosen(name, value, one.interfaces):
                    line = source_of(launch.span)
                    told = {"interface": value, "address": ", ".join(sorted(one.interfaces)[:8])}
                    yield Finding(INTERFACE, "no-such-interface", told, line, (Source(one.file),))
                    return


PROBES = (
    Probe(
        "host-files",
        (),
        read,
        title=Text("saved reports of the node", "已保存的节点信息"),
        gives=(HostReports,),
        seconds=0.02,
        limit_seconds=10.0,
    ),
    Probe(
        name="host-files-checks",
        title=Text("checks of the node's reports", "节点信息检查"),
        tells=(DISK, SHM, INTERFACE, MEMORY),
        run=judge,
        needs=(HostReports,),
        wants=(LogHits, RunConfig, Launches),
        reliability="heuristic",
        seconds=0.01,
        limit_seconds=5.0,
    ),
)
