"""A run that is gone, of which no line says why: it stopped short, or only its exit is told."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

from medic.facts import LogHits, Source, StepLine, Tracebacks
from medic.i18n import Text
from medic.probe import Finding, Look, Probe, config_of
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..curve.numbers import median
from .digits import whole
from .evidence import hangs, hits
from .launcher import SIGNALS
from .log_fact import EXIT_ALONE
from .machine import ZONES_SECONDS
from .verdict import unexplained

NAME = "stopped-without-a-word"
# As long as its last line is younger than this, in seconds and in gaps between logged steps, a run
# may only be silent.
QUIET_SECONDS, QUIET_GAPS = 60.0, 10.0
_SIGNAL = regex(r"\bSIG[A-Z]+\b|Segmentation fault|Bus error|Aborted|Terminated|Killed")
_SENT = regex(
    r"(?i:\b(?:received|caught|got|handling)\b[^.]{0,40}?|收到[^。]{0,20}?)\b(SIG[A-Z]+\d?)\b"
)
_CODE = regex(
    r"(?:exit ?code|exit status|return(?: |-)?code|terminated with code)\s*[:=]?\s*(-?[1-9]\d*)",
    re.I,
)
_STOPPED = regex(r"DUE TO (?:TIME LIMIT|PREEMPTION)|CANCELLED", re.IGNORECASE)


def run(look: Look) -> Iterator[Finding]:
    logs, tracebacks = look.fact(LogHits), look.fact(Tracebacks)
    if logs.ended not in ("badly", "silent") or _told(logs, tracebacks):
        return
    planned = logs.planned_steps or _configured(look)
    if logs.ended == "badly":
        source = _exit_line(logs)
        how = exit_words(source.text)
    elif stopped_short(logs, planned, time.time()) and not copied(look, logs):
        source = logs.tail[-1] if logs.tail else logs.steps[-1].source
        how = _silence(logs, planned)
    else:
        return
    yield Finding(NAME, value=_value(logs, planned, how), source=source)


def _value(logs: LogHits, planned: int | None, how: Text | str) -> dict[str, object]:
    value: dict[str, object] = {
        "exit": how,
        "step": logs.last_step,
        "planned": planned,
        "time": logs.last_time,
    }
    return {name: v for name, v in value.items() if v is not None}


def _silence(logs: LogHits, planned: int | None) -> Text:
    told = _SENT.search(logs.tail[-1].text) if logs.tail else None
    if told:  # the process says what ended it; who sent it, and why, it cannot know
        return Text(
            f"the process got {told[1]} at step {logs.last_step} of {planned}",
            f"进程在第 {logs.last_step} 步（共 {planned} 步）收到 {told[1]}",
        )
    return Text(
        f"the log stops at step {logs.last_step} of {planned}",
        f"日志停在第 {logs.last_step} 步（共 {planned} 步）",
    )


def _told(logs: LogHits, tracebacks: Tracebacks) -> bool:
    """Whether something in the log is a reason to end, or a symptom of its own."""
    if next(hits(logs), None) is not None or hangs(logs) is not None:
        return True
    if unexplained(logs, tracebacks.all) is not None:
        return True
    return not all(math.isfinite(s.values.get("loss", 0.0)) for s in logs.steps)


def _configured(look: Look) -> int | None:
    return config_of(look).integer("total_steps")


def stopped_short(logs: LogHits, planned: int | None, now: float) -> bool:
    """Silent before its planned step, and for longer than its steps take.

    Unknown, hence no, where steps carry no times, or where the clock is behind the log.
    """
    if planned is None or logs.last_step is None or logs.last_step >= planned - 1:
        return False
    numbers = sorted({s.step for s in logs.steps})
    every = median([b - a for a, b in pairwise(numbers)]) if len(numbers) > 1 else 1
    if logs.last_step + every > planned:  # the next line of the log would lie beyond the end
        return False
    times = _times(logs.steps)
    if logs.last_time is None or len(set(times[-5:])) < 2:
        return False
    gaps = [b - a for a, b in pairwise(times) if b > a]
    return now - logs.last_time >= max(QUIET_SECONDS, QUIET_GAPS * median(gaps))


def copied(look: Look, logs: LogHits) -> bool:
    """Whether the file is younger than its last line by more than clocks of two zones differ by.

    Its time is then that of a copy, and the run may have been alive when it was made.
    """
    written = max((f.modified for f in look.files("log")), default=0.0)
    return logs.last_time is not None and written - logs.last_time > ZONES_SECONDS


def _times(steps: Sequence[StepLine]) -> list[float]:
    return sorted(s.source.time for s in steps if s.source.time is not None)


def _exit_line(logs: LogHits) -> Source:
    """The line that says most about the end: one with a signal or a code."""
    lines = [h.source for h in logs.hits if h.benign == EXIT_ALONE]
    if logs.end is not None:
        lines.append(logs.end)
    lines.sort(key=lambda s: not (_SIGNAL.search(s.text) or _CODE.search(s.text)))
    return lines[0] if lines else Source()


def exit_words(line: str) -> str | Text:
    """The signal or exit code that a line tells, in words."""
    if found := _STOPPED.search(line):
        return found.group(0)
    code = _CODE.search(line)
    if code is not None:
        number = whole(code.group(1))
        name = SIGNALS.get(-number) or (SIGNALS.get(number - 128) if number > 128 else None)
        words = f" ({name})" if name else ""
        return Text(f"exit code {number}{words}", f"退出码 {number}{words}")
    if found := _SIGNAL.search(line):
        return found.group(0)
    return Text("a rank exited", "某个 rank 退出")


PROBE = Probe(
    name="log-end",
    title=Text("how the log ends", "日志的结尾"),
    tells=(NAME,),
    run=run,
    reliability="heuristic",  # a log may end where it was copied
    needs=(LogHits, Tracebacks),
    wants=(RunConfig,),
    seconds=0.01,
    limit_seconds=5.0,
)
