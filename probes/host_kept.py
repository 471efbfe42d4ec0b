"""Whether listed sizes say that kept checkpoints fill the disk on which a write was refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from medic.errors import Unreadable
from medic.facts import Hit, HostReports, LogHits, Mount, Source
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
# A line that tells of a save that was done, or of one that began, and its place with a number. A place
# is looked for where a word begins, else each letter of a long one would be tried.
_SAVES = regex(
    r"(?i)\bsav(?:ed|ing)\b(?:[^\n/]{0,60}\biter(?:ation)?\s{1,8}(\d{1,9})\b|[^\n]{0,80}?"
    r"(?<![^\s:=])(\S*(?:checkpoint|ckpt|global_step|step|iter|epoch)[-_=]?\d{1,12})(?!\d))"
)
_DONE = regex(r"(?i)\bsaved\b")
_REMOVES = regex(
    r"(?i)\b(?:delet|remov|prun|rotat|clean)\w{0,4}\b[^\n]{0,40}(?:checkpoint|ckpt|step|iter)|"
    r"删除.{0,12}(?:检查点|checkpoint)"
)
_ELSEWHERE = regex(r"/tmp/|\.cache|\.triton|inductor|/dev/shm|huggingface|\.arrow\b|wandb/")  # noqa: S108 - read, not opened
MAX_LOG = 500_000  # lines of a log that is read again
MAX_LINE = 400  # characters of a line that are read
NEAR = 40  # lines of a traceback between the words of a save and its end
_UNITS = {"G": 1 << 30, "T": 1 << 40}


def run(look: Look) -> Iterator[Finding]:
    refused = [h for h in logs_of(look).hits if h.symptom == "disk-full" and not h.benign]
    if refused:
        yield from _listed(look, refused[0]) or _saved(look, refused[0])


def _listed(look: Look, refused: Hit) -> list[Finding]:
    """By the sizes that du tells."""
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
        return []
    value = {"n": len(sizes), "size": gib(taken, 0)}
    first = next(iter(sizes.values()))[1]
    return [Finding(CHECK, "kept-checkpoints", value, first, (refused.source,))]


def _saved(look: Look, refused: Hit) -> list[Finding]:
    """By the saves of the log: each into a place of its own, none removed, and the one that was
    refused is the next."""
    file = next((f for f in look.files("log") if f.name == refused.source.file), None)
    if file is None or _ELSEWHERE.search(refused.source.text):
        return []
    saved: dict[str, Source] = {}
    done: set[str] = set()
    saving, removed = 0, False
    with suppress(Unreadable):
        for number, line in islice(look.lines(file.path), MAX_LOG):
            if number > refused.source.line:
                break
            removed = removed or _REMOVES.search(line) is not None
            if "sav" in line.lower() or "checkpoint" in line:
                saving = number
                if found := _SAVES.search(line[:MAX_LINE]):
                    name = found[1] or found[2]
                    saved.setdefault(name, Source(file.name, number, text=line[:MAX_LINE]))
                    done |= {name} if _DONE.search(found[0]) else set()
    at_a_save = refused.source.line - saving <= NEAR or "checkpoint" in refused.source.text
    if removed or not at_a_save or len(saved) <= LEAST:
        return []
    kept = list(saved)
    if kept[-1] not in done and refused.source.line - saved[kept[-1]].line <= NEAR:
        kept.pop()  # it is the one that was refused
    last = saved[kept[-1]]
    return [Finding(CHECK, "saves-pile-up", {"n": len(kept)}, last, (refused.source,))]


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
