"""Files that tell of a failure which does not count: each is named, with where it failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import LogHits
from medic.i18n import Text
from medic.probe import Unread

from .launches import failure
from .merge import Merged
from .view import View

WORDS = 60  # of a message
_EARLIER = Text(
    "of an earlier run, which failed at line {line} ({what}){alone}",
    "属于之前的运行，在第 {line} 行失败（{what}）{alone}",
)
_ENDED = Text(
    "of an earlier run, which ended at line {line} ({what}){alone}",
    "属于之前的运行，在第 {line} 行结束（{what}）{alone}",
)
_BESIDE = Text(
    "it failed at line {line} ({what}), and does not count: the last run here ended well{alone}",
    "在第 {line} 行失败（{what}），但此处最后一次运行正常结束，因此未计入{alone}",
)
_ALONE = Text("; medic diagnose {file} looks at it", "；可用 medic diagnose {file} 单独查看")
_NOWHERE = Text("", "")  # what was pasted is no file
_HANDLED = Text(
    "line {line} ({what}) does not count: the run went on after it",
    "第 {line} 行（{what}）不计入：此后运行仍在继续",
)
_BEFORE = Text(
    "line {line} ({what}) does not count: it is of another time than this run, or of another card",
    "第 {line} 行（{what}）不计入：它不在本次运行期间，或属于另一张卡",
)
_WHY = {"handled": _HANDLED, "earlier": _BEFORE}
_OTHER_TIME = Text(
    "line {line} ({what}) does not count: it is of another time than this run",
    "第 {line} 行（{what}）不计入：它的时间不在本次运行期间",
)
_UNDATED = Text(
    "line {line} ({what}) is a hint and no proof: its time cannot be compared with that of the run; "
    "dmesg -T, or a log with dates, would tell",
    "第 {line} 行（{what}）只作线索，不作为证明：它的时间无法与本次运行对照；"
    "用 dmesg -T 输出，或提供带日期的日志即可判断",
)


def left_out(merged: Merged, views: Sequence[View], logs: LogHits) -> Iterator[Unread]:
    """Those of earlier launches, and those beside a run that ended well."""
    for view in merged.earlier:
        yield from _told(view, _EARLIER)
    yield from _of_machine(merged)
    if logs.ended == "badly":
        yield from _lines(merged)
    if logs.ended != "well":
        return
    well = {e.source.file for e in merged.ends if e.how == "well"}
    excused = {h.source.line for h in merged.hits if h.benign}
    for view in views:
        gone = view.given.name in well or view.machine or view in merged.earlier
        if not gone and (found := failure(view)) is not None and found[0].line not in excused:
            yield from _told(view, _BESIDE)


def _lines(merged: Merged) -> Iterator[Unread]:
    """The first failure's line of each file that is left out as handled or as of before."""
    seen: set[tuple[str, str]] = set()
    for hit in merged.hits:
        key = (hit.source.file, hit.benign)
        if hit.role == "root" and hit.benign in _WHY and key not in seen:
            seen.add(key)
            what = hit.source.text.strip()[:WORDS]
            yield Unread(
                hit.source.file,
                _WHY[hit.benign].fill(line=hit.source.line, what=what),
                partly=True,
            )


def _of_machine(merged: Merged) -> Iterator[Unread]:
    """The first failure's line of each machine's log that is of no known time, or of another."""
    seen: set[tuple[str, str]] = set()
    for hit, why in merged.left:
        key = (hit.source.file, why)
        if hit.role == "root" and not hit.benign and key not in seen:
            seen.add(key)
            pattern = _UNDATED if why == "undated" else _OTHER_TIME
            what = hit.source.text.strip()[:WORDS]
            words = pattern.fill(line=hit.source.line, what=what)
            yield Unread(hit.source.file, words, partly=True, aside=why == "other-time")


def _told(view: View, pattern: Text) -> Iterator[Unread]:
    found = failure(view)
    earlier = pattern is _EARLIER
    if found is None and view.ends:
        end = view.ends[-1]
        found = end.source, end.source.text.strip()
        pattern = _ENDED if earlier and end.how != "badly" else pattern
    if found is not None:
        source, what = found
        file = view.given.name
        alone = _NOWHERE if file.startswith("<") else _ALONE.fill(file=file)
        why = pattern.fill(line=source.line, what=what[:WORDS], alone=alone)
        yield Unread(file, why, partly=True, aside=True, earlier=earlier)
