"""A run whose log goes on long after its last step: its scheduler ended it, which only found that it
had hung, or what writes is not the training."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from medic.facts import LogHits, Source, StepLine
from medic.i18n import Text
from medic.probe import Finding
from medic.text.patterns import regex

# So long, and so many times the longest gap between logged steps: evaluation and saving are shorter.
LEAST_SECONDS, LEAST_GAPS = 2 * 3600.0, 20.0
# A scheduler writes its node's clock, a container often UTC: within so many hours a silence of
# whole half hours, give or take a gap, may be the distance of two zones.
ZONES, HALF_HOUR, SLACK_SECONDS = 14 * 3600.0, 1800.0, 180.0
BY_SCHEDULER = "job-ended-by-scheduler"
# What is done between steps for hours, and at the end of a run.
_BUSY = regex(
    r"(?i)eval|valid|sav(?:e|ing)|checkpoint|generat|infer|upload|download|compil|merg|convert"
    r"|tokeniz|\d%\||评估|保存|验证|推理"
)
_ENDED = Text(", then the scheduler ended the job", "，随后作业被调度系统结束")
_WRITES = Text(", though other lines were still written", "，期间日志仍有其他输出")


def silent(logs: LogHits, progressed: Sequence[StepLine]) -> Finding | None:
    """The last step line and how long no step came after it; None where no silence is certain."""
    ended, then = _ended(logs), _ENDED
    if ended is None and logs.ended != "badly":
        ended, then = _still_written(logs, progressed), _WRITES
    found = _before(logs, ended) if ended is not None else None
    if found is None:
        return None
    source, long = found
    return Finding("training-hangs", value={"silent": long, "then": then}, source=source)


def _still_written(logs: LogHits, progressed: Sequence[StepLine]) -> float | None:
    """The time of the last line, where nothing says that work is done without steps."""
    through = logs.planned_steps is not None and (logs.last_step or 0) >= logs.planned_steps - 1
    if through or progressed or any(_BUSY.search(line.text) for line in logs.tail[-5:]):
        return None
    return logs.last_time


def _ended(logs: LogHits) -> float | None:
    ended = [
        h.source.time
        for h in logs.hits
        if h.symptom == BY_SCHEDULER and not h.benign and h.source.time is not None
    ]
    return min(ended, default=None)


def _before(logs: LogHits, end: float) -> tuple[Source, Text] | None:
    trained = [(s.source.time, s.source) for s in logs.steps if s.source.time is not None]
    if len(trained) < 2:
        return None
    times = sorted(time for time, _ in trained)
    gap = max(b - a for a, b in pairwise(times))
    last, source = max(trained, key=lambda one: (one[0], one[1].line))
    quiet = end - last
    if quiet < max(LEAST_SECONDS, LEAST_GAPS * gap) or _is_zone(quiet, gap):
        return None
    return source, _long(quiet)


def _is_zone(silent: float, gap: float) -> bool:
    off = silent % HALF_HOUR
    return silent <= ZONES + HALF_HOUR and min(off, HALF_HOUR - off) <= SLACK_SECONDS + 2 * gap


def _long(seconds: float) -> Text:
    hours = seconds / 3600
    return Text(f"{hours:.1f} hours", f"{hours:.1f} 小时")
