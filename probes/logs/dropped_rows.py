"""How much of the data its preparation drops for its length, by the numbers that a log tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from medic.errors import Unreadable
from medic.facts import Hit, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

CHECK, LINES = "rows-dropped-share", "rows-dropped"
BEHIND = 400  # lines after the last dropped row in which the rows that are left are told
_FILTERED = regex(r"origin length: (\d+), filtered dataset length: (\d+)")
_COUNTED = regex(
    r"(?i)\bdropped (\d+) (?:long |over-?long )?(?:samples|sequences|rows)(?! with)|"
    r"\bdropped (?:rows|samples): (\d+)"
)
_LEFT = regex(r"\bnum_rows: (\d+)|Num examples = ([\d,]+)")


def run(look: Look) -> Iterator[Finding]:
    found = [h for h in look.fact(LogHits).hits if h.check == LINES and not h.benign]
    files = {f.name: f.path for f in look.files("log")}
    for name in dict.fromkeys(h.source.file for h in found):
        own = [h for h in found if h.source.file == name]
        if name not in files:
            continue
        try:
            told = _told(_beside(look, files[name], own))
        except Unreadable:
            continue
        rows = max(h.count for h in own if h.signature == "dat-rows-deleted" or h is own[0])
        yield _judged(look, told, rows, own[0].source)
        return


def _beside(look: Look, path: str, hits: Sequence[Hit]) -> Iterator[str]:
    """The lines from the first of these on, and some behind the last one."""
    last = max(h.source.line for h in hits) + BEHIND
    for number, text in look.lines(path):
        if number > last:
            return
        if number >= hits[0].source.line:
            yield text


def _told(lines: Iterable[str]) -> tuple[int, int | None]:
    """(rows that were dropped, rows that are left if told) as one log counts them."""
    dropped, left = 0, None
    for text in lines:
        if found := _FILTERED.search(text):
            dropped += int(found[1]) - int(found[2])
            left = (left or 0) + int(found[2])
        elif found := _COUNTED.search(text):
            dropped += int(found[1] or found[2])
        elif left is None and (found := _LEFT.search(text)):
            left = int((found[1] or found[2]).replace(",", ""))
    return dropped, left


def _judged(look: Look, told: tuple[int, int | None], rows: int, source: Source) -> Finding:
    """Each dropped row may have a line of its own, or the first ones: no fewer were dropped."""
    dropped, left = max(told[0], rows), told[1]
    share = dropped / (dropped + left) if left is not None else 0.0
    value = {"dropped": f"{dropped:,}", "rows": f"{dropped + (left or 0):,}"}
    if left == 0 or share >= look.threshold("most-dropped"):
        return Finding(CHECK, "most", value=value, source=source)
    many = share >= look.threshold("many-dropped")
    return Finding(CHECK, "many" if many else "few", value=value, source=source)


PROBE = Probe(
    name="dropped-rows",
    title=Text("rows that are dropped for their length", "因长度被丢弃的样本"),
    tells=(CHECK,),
    run=run,
    needs=(LogHits,),
    seconds=0.02,
    limit_seconds=10.0,
)
