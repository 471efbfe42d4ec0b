"""torchrun's ``attempt_N/RANK/error.json``: what ended a worker, as its traceback.

Written by torch/distributed/elastic/multiprocessing/errors/error_handler.py where the entry point
has the ``record`` decorator: ``{"message": {"message": …, "extraInfo": {"py_callstack": …,
"timestamp": "1700000000"}}}``; for a signal the inner message may stand alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from medic.errors import Unreadable
from medic.facts import GivenFile
from medic.probe import Look
from medic.records import dataclass, replace

from .view import Reader, View

NAME = "error.json"
# A traceback with a state_dict's keys in it takes a few MB.
MAX_BYTES = 16 * 1024 * 1024
_LATEST = 1 << 35  # seconds; a later time is no time


@dataclass(frozen=True)
class Report:
    """The words of the failure, and when it was written (seconds since 1970)."""

    text: str
    time: float | None


def is_report(given: GivenFile) -> bool:
    return PurePath(given.path).name.lower() == NAME


def read(look: Look, given: GivenFile) -> Report:
    """Raises Unreadable for a file that is cut off, too large or no such report."""
    with look.open(given.path, MAX_BYTES) as file:
        data = file.read(MAX_BYTES)
    if not data.strip():
        raise Unreadable("empty: the worker ended while it wrote it", "文件为空：写入时进程已结束")
    try:
        root = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Unreadable(
            "no valid JSON: cut off while it was written?", "不是有效的 JSON：写入时被中断？"
        ) from None
    return _report(root)


def _report(root: Any) -> Report:
    told = root.get("message") if isinstance(root, dict) else None
    outer: Mapping[str, Any] = told if isinstance(told, dict) else {"message": told}
    extra = outer.get("extraInfo")
    info: Mapping[str, Any] = extra if isinstance(extra, dict) else {}
    stack, words = info.get("py_callstack"), outer.get("message")
    stack = stack if isinstance(stack, str) else ""
    words = words if isinstance(words, str) else ""
    if not (stack.strip() or words.strip()):
        raise Unreadable("no failure report of torchrun", "不是 torchrun 的失败报告")
    text = (stack if stack.strip() else words).encode("utf-8", "replace").decode("utf-8")
    return Report(text, _time(info.get("timestamp") or root.get("timestamp")))


def _time(value: Any) -> float | None:
    try:
        seconds = float(value) if isinstance(value, (str, int)) else 0.0
    except (ValueError, OverflowError):
        return None
    return seconds if 0 < seconds < _LATEST else None


def view_of(reader: Reader, report: Report) -> View:
    """What the reader makes of the report, at its time."""
    if report.time is not None:
        reader.set_time(report.time)
    return _without_lines(reader.read_rows(_rows(report)))


def _rows(report: Report) -> list[tuple[int, str]]:
    """The report as numbered lines, as a log has them."""
    clean = "".join(c if c.isprintable() or c == "\n" else " " for c in report.text)
    return list(enumerate(clean.split("\n"), 1))


def _without_lines(view: View) -> View:
    """The view with every source on the file as a whole: its JSON is one line."""
    scan = view.scan
    hits = tuple(replace(h, source=replace(h.source, line=0)) for h in scan.hits)
    marks = tuple(replace(m, source=replace(m.source, line=0)) for m in scan.marks)
    view.scan = replace(scan, hits=hits, marks=marks)
    view.steps = []
    view.tracebacks = [
        replace(t, source=replace(t.source, line=0), first_line=0) for t in view.tracebacks
    ]
    view.ends = [replace(e, source=replace(e.source, line=0)) for e in view.ends]
    view.tail = [replace(s, line=0) for s in view.tail]
    return view
