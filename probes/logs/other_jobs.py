"""Rows of a scheduler's accounting that tell of another job than the one whose logs these are:
sacct and squeue without ``-j`` list all jobs of the day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.records import replace
from medic.text.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .view import View

_OWN = regex(
    r"(?:^|/)(?:slurm-(?P<slurm>\d{1,12})|[^/]*?(?P<job>\d{3,12}))(?:[_.-]\d{1,6})?\.(?:out|err)$"
)
# A table's row, its columns parted by blanks or, with -P, by bars.
_ROW = regex(
    r"^\s*(?P<job>\d{1,12})(?:[._+\[][\w.+\[\]%,-]*)?(?:\s|\|).*"
    r"\b(?:TIMEOUT|NODE_FAIL|FAILED|OUT_OF_ME\w*|PREEMPTED|CANCELLED|DEADLINE|BOOT_FAIL|COMPLETED)\b"
)


def leave_out(views: Sequence[View]) -> None:
    """Takes from the views the hits in such rows; where no log names its job, none."""
    own = {job for view in views if (job := _job(view.given.path))}
    if not own:
        return
    for view in views:
        kept = tuple(h for h in view.scan.hits if not _of_another(h.source.text, own))
        if len(kept) < len(view.scan.hits):
            view.scan = replace(view.scan, hits=kept)


def _job(path: str) -> str:
    named = _OWN.search(path)
    return (named["slurm"] or named["job"]) if named else ""


def _of_another(text: str, own: set[str]) -> bool:
    row = _ROW.match(text)
    return row is not None and row["job"] not in own
