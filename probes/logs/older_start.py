"""Whether a run went on from the last checkpoint that it had saved, or from an older one.

A log that goes on in itself tells both: the files that were saved, and the one that was loaded. A
person may go back to an older one on purpose; that it is the last of all by the text of its name
(800 behind 1200) tells that something sorted names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from medic.errors import Unreadable
from medic.facts import Hit, LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.records import dataclass
from medic.text.patterns import regex

from ..named_steps import parted

CHECK, SYMPTOM = "resumed-checkpoint", "resume-goes-back"
DONE, WORK, RESUME = "serial-done", "serial-work", "resume"
_SAVES = regex(r"(?i)\b(?:sav|writ|stor)(?:ed|ing)\b|保存")
_NO_START = regex(
    r"(?i)--\S*resum|resume\w*['\"]?\s?[:=]|\b(?:none|null|false|no|not)\b|pre-?trained"
)
_TOKEN = regex(r"[\w./=+~-]*\w")
_MAX_LOGS = 8


@dataclass(frozen=True)
class Named:
    """A checkpoint that a line names; ``file`` without its folders."""

    file: str
    stem: tuple[str, str]
    step: int
    hit: Hit


def run(look: Look) -> Iterator[Finding]:
    for log in look.files("log")[:_MAX_LOGS]:
        with suppress(Unreadable):  # told by the probe that reads the log
            marks = sorted(look.scan(log.path).marks, key=lambda h: h.source.line)
            yield from _judged(marks)


def _judged(marks: Sequence[Hit]) -> Iterator[Finding]:
    """The last start of a log, and what was saved above it."""
    starts = [n for m in marks if m.signature == RESUME and _starts(m) and (n := _named(m))]
    if not starts:
        return
    start = starts[-1]
    above = [m for m in marks if m.source.line < start.hit.source.line and m.source.line]
    saves = [m for m in above if m.signature in (DONE, WORK) and _SAVES.search(m.source.text)]
    saved = [n for m in saves if (n := _named(m)) is not None and n.stem == start.stem]
    if not saved:
        return
    newest = max(saved, key=lambda n: (n.step, n.hit.source.line))
    names = {n.file for n in saved} | {start.file}
    value = {"file": start.file, "newest": newest.file, "lost": newest.step - start.step}
    if newest.step <= start.step:
        yield Finding(CHECK, "the-last", value=value, source=start.hit.source)
        return
    sorted_so = max(names) == start.file
    outcome = "last-by-name" if sorted_so else "older"
    more = (newest.hit.source,)
    yield Finding(CHECK, outcome, value=value, source=start.hit.source, more=more)
    if sorted_so:
        yield Finding(SYMPTOM, value=value, source=start.hit.source, more=more)


def _starts(mark: Hit) -> bool:
    return not _NO_START.search(mark.source.text[:400])


def _named(mark: Hit) -> Named | None:
    """The first name of a line that ends in a step's number."""
    for token in _TOKEN.findall(mark.source.text[:400]):
        found = parted(token)
        if found is not None and ("/" in token or found[2]):
            stem, number, rest = found
            return Named(f"{stem}{number}{rest}", (stem, rest), int(number), mark)
    return None


PROBE = Probe(
    name="older-start",
    title=Text("the checkpoint that the run went on from", "本次恢复所用的检查点"),
    tells=(CHECK, SYMPTOM),
    run=run,
    files=("log",),
    wants=(LogHits,),  # behind the probe that has the logs scanned
    seconds=0.05,
    limit_seconds=10,
)
