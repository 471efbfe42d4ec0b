"""Whether listed sizes say that kept checkpoints fill the disk on which a write was refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import HostReports, LogHits, Mount, Source
from medic.facts.memory import gib
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, logs_of
from medic.text.patterns import regex

CHECK = "full-place"
MAX_FILES, MAX_LINES = 64, 20_000
MAX_BYTES = 64 << 10  # of a text that is read for rows of du: what a person pastes is short
LEAST = 3  # a last, a best and an older one are what a limit of two leaves (save_total_limit)
# Of the file system, where its size is told: with less, something else has filled it.
SHARE = 0.5
_ROW = regex(
    r"^\s*(\d{1,6}(?:\.\d{1,3})?)([GT])i?B?\s+(\S*(?:checkpoint|ckpt|global_step|step|iter|epoch)"
    r"[-_=]?\d{1,12}\S{0,60}?)/?\s*$"
)
_UNITS = {"G": 1 << 30, "T": 1 << 40}


def run(look: Look) -> Iterator[Finding]:
    refused = [h for h in logs_of(look).hits if h.symptom == "disk-full" and not h.benign]
    if not refused:
        return
    sizes: dict[str, tuple[int, Source]] = {}
    for file in look.files("log", "host-report")[:MAX_FILES]:
        if 0 < file.size <= MAX_BYTES:
            with suppress(Unreadable):
                for number, line in islice(look.lines(file.path), MAX_LINES):
                    if row := _ROW.match(line):
                        size = int(float(row[1]) * _UNITS[row[2]])
                        sizes.setdefault(row[3], (size, Source(file.name, number, text=line)))
    taken = sum(size for size, _ in sizes.values())
    if len(sizes) < LEAST or taken < SHARE * _room(look):
        return
    value = {"n": len(sizes), "size": gib(taken, 0)}
    first = next(iter(sizes.values()))[1]
    yield Finding(CHECK, "kept-checkpoints", value, first, (refused[0].source,))


def _room(look: Look) -> int:
    """Bytes of the smallest file system that df shows full, 0 where it shows none."""
    reports = look.fact(HostReports).reports if look.has(HostReports) else ()
    full = [m for r in reports for m in r.mounts if _is_full(m)]
    return min((m.total for m in full), default=0)


def _is_full(mount: Mount) -> bool:
    return not mount.inodes and 0 <= mount.free < 0.05 * mount.total


PROBE = Probe(
    name="host-kept-checkpoints",
    title=Text("sizes of the checkpoints that were kept", "已保留检查点的大小"),
    tells=(CHECK,),
    needs=(LogHits,),
    wants=(HostReports,),
    seconds=0.01,
    run=run,
)
