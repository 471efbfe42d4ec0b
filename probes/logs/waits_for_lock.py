"""A rank whose log says over and over that it waits for a lock, and nothing else to its end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

from . import quiet_ranks
from .prefix import Prefixes

BUSY, HANG = "busy-rank", "training-hangs"
# huggingface_hub says it every 10 s (utils/_fixes.py, WeakFileLock); programs of one's own likewise.
_WAITS = regex(
    r"\bwait(?:s|ing)?\b.{0,60}(?:\block\b|\.lock\b)|\bacquir(?:e|ing) lock\b|"
    r"\block (?:file )?.{0,200}\b(?:held|exists)\b.{0,60}\b(?:wait|retry)|等待.{0,60}(?:锁|\.lock\b)",
    re.IGNORECASE,
)
# A lock that is got after a while was waited for a time or two.
TIMES = 4
FAR = 2_000_000  # lines
_DIGITS = regex(r"\d+")
_TOLD = Text(
    "rank {rank} wrote last, {n} times over: “{line}”",
    "rank {rank} 最后反复写了 {n} 次 “{line}”",
)
_ALONE = Text("the last {n} lines: “{line}”", "最后 {n} 行：“{line}”")


def run(look: Look) -> Iterator[Finding]:
    logs = look.fact(LogHits)
    if logs.ended == "well":
        return
    for last in logs.last_words or logs.tail[-1:]:
        words = quiet_ranks.words(last)
        if _WAITS.search(words) and (times := _times(look, last, words)) >= TIMES:
            told = _ALONE if last.rank is None else _TOLD
            value = {"told": told.fill(rank=last.rank, n=times, line=words)}
            yield Finding(HANG, source=last)
            yield Finding(BUSY, "waits-for-lock", value=value, source=last)
            return


def _times(look: Look, last: Source, words: str) -> int:
    """How often the rank wrote the same, but for its numbers, up to its last line."""
    given = next((f for f in look.files("log") if f.name == last.file), None)
    if given is None:
        return 0
    same, times, prefixes = _masked(words), 0, Prefixes()
    try:
        for number, text in look.lines(given.path):
            if number > min(last.line, FAR):
                break
            if prefixes.read(text).rank in (None, last.rank):
                own = _masked(quiet_ranks.words(Source(text=text)))
                times = times + 1 if own == same else 0
    except Unreadable:
        return 0
    return times


def _masked(words: str) -> str:
    return _DIGITS.sub("#", words)


PROBE = Probe(
    name="waits-for-lock",
    title=Text("waiting for a lock", "等待锁"),
    tells=(BUSY, HANG),
    run=run,
    needs=(LogHits,),
    seconds=0.05,
    limit_seconds=20.0,
)
