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
    "of an earlier run, which failed at line {line} ({what}); medic diagnose {file} looks at it",
    "属于之前的运行，在第 {line} 行失败（{what}）；可用 medic diagnose {file} 单独查看",
)
_BESIDE = Text(
    "it failed at line {line} ({what}), and does not count: the last run here ended well; "
    "medic diagnose {file} looks at it",
    "在第 {line} 行失败（{what}），但此处最后一次运行正常结束，因此未计入；可用 medic diagnose {file} 单独查看",
)


def left_out(merged: Merged, views: Sequence[View], logs: LogHits) -> Iterator[Unread]:
    """Those of earlier launches, and those beside a run that ended well."""
    for view in merged.earlier:
        yield from _told(view, _EARLIER)
    if logs.ended != "well":
        return
    well = {e.source.file for e in merged.ends if e.how == "well"}
    excused = {h.source.line for h in merged.hits if h.benign}
    for view in views:
        gone = view.given.name in well or view.machine or view in merged.earlier
        if not gone and (found := failure(view)) is not None and found[0].line not in excused:
            yield from _told(view, _BESIDE)


def _told(view: View, pattern: Text) -> Iterator[Unread]:
    found = failure(view)
    if found is not None:
        source, what = found
        file = view.given.name
        why = pattern.fill(line=source.line, what=what[:WORDS], file=file)
        yield Unread(file, why, partly=True)
