"""A run whose scheduler ended it long after its last step: it had hung, the limit only found it."""

from __future__ import annotations

from itertools import pairwise

from medic.facts import LogHits, Source
from medic.i18n import Text

# So long, and so many times the longest gap between logged steps: evaluation and saving are shorter.
LEAST_SECONDS, LEAST_GAPS = 2 * 3600.0, 20.0
# A scheduler writes its node's clock, a container often UTC: within so many hours a silence of
# whole half hours, give or take a gap, may be the distance of two zones.
ZONES, HALF_HOUR, SLACK_SECONDS = 14 * 3600.0, 1800.0, 180.0
BY_SCHEDULER = "job-ended-by-scheduler"


def before_the_end(logs: LogHits) -> tuple[Source, Text] | None:
    """The last step line and how long nothing came after it; None where no silence is certain."""
    ended = [
        h.source.time
        for h in logs.hits
        if h.symptom == BY_SCHEDULER and not h.benign and h.source.time is not None
    ]
    trained = [(s.source.time, s.source) for s in logs.steps if s.source.time is not None]
    if not ended or len(trained) < 2:
        return None
    times = sorted(time for time, _ in trained)
    gap = max(b - a for a, b in pairwise(times))
    last, source = max(trained, key=lambda one: (one[0], one[1].line))
    silent = min(ended) - last
    if silent < max(LEAST_SECONDS, LEAST_GAPS * gap) or _is_zone(silent, gap):
        return None
    return source, _long(silent)


def _is_zone(silent: float, gap: float) -> bool:
    off = silent % HALF_HOUR
    return silent <= ZONES + HALF_HOUR and min(off, HALF_HOUR - off) <= SLACK_SECONDS + 2 * gap


def _long(seconds: float) -> Text:
    hours = seconds / 3600
    return Text(f"{hours:.1f} hours", f"{hours:.1f} 小时")
