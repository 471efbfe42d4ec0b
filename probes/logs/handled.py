"""Exceptions after which the steps go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from medic.facts import Hit, Source, StepLine, Traceback
from medic.text.patterns import regex

from . import machine
from .attempts import CHILD, EXITED
from .writers import writers

# Step lines that a launcher may pass on late, of a process that has failed.
LATE, LATE_SHARE = 3, 0.1
# So many step lines behind an error are no training that goes on: another process may write one.
ONE = 1


def handled(
    steps: Sequence[StepLine],
    marks: Sequence[Hit],
    tracebacks: Sequence[Traceback],
    done: Sequence[StepLine] = (),
) -> Callable[[Source], bool]:
    """Whether the rank of a line went on training after it: an exception there ended nothing.

    ``done`` are lines of work done, which tell the same as steps.

    Only lines of one file are compared: what stands in a second file has no order without times.
    """
    lines: dict[str, dict[int | str | None, list[int]]] = {}
    trained = [s for s in steps if s.step or s.values]  # else it only says where it is to begin
    writer = writers(trained)
    for step in (*trained, *done):
        own = lines.setdefault(step.source.file, {}).setdefault(writer(step.source), [])
        own.append(step.source.line)
    last = _last_exceptions(tracebacks)
    failed: dict[str, int] = {}
    for mark in marks:
        if mark.signature == CHILD and EXITED.search(mark.source.text):
            failed[mark.source.file] = max(mark.source.line, failed.get(mark.source.file, 0))

    def went_on(source: Source) -> bool:
        if not source.line:
            return False  # at the end of a log of gigabytes its number is unknown
        of_file, who = lines.get(source.file, {}), writer(source)
        if who in of_file:
            numbers = of_file[who]
        elif who is None and of_file:
            # Whose line it is, is unknown: each process that writes has to be seen again, and it
            # has not failed only where the one that is seen least of has not.
            if not all(max(numbers) > source.line for numbers in of_file.values()):
                return False
            numbers = _least(of_file, source.line)
        else:
            return False
        after = sum(line > source.line for line in numbers)
        end = last.get((source.file, source.rank), 0)
        between = any(source.line < line < end for line in numbers)
        if between or failed.get(source.file, 0) < source.line:
            return between or after > ONE
        # A process that failed: its standard output may come behind its standard error.
        before = len(numbers) - after
        return before > 0 and after > max(LATE, LATE_SHARE * before)

    return went_on


def by_time(steps: Sequence[StepLine]) -> Callable[[Source], bool | None]:
    """Whether training went on after a line of the kernel; None of other lines and without times.

    Such lines stand above or below those of the run, as they were pasted.
    """
    times = [s.source.time for s in steps if s.source.time is not None]

    def went_on(source: Source) -> bool | None:
        if not times or source.time is None or not machine.is_line(source.text):
            return None
        return sum(time > source.time for time in times) > ONE

    return went_on


# What Slurm writes as it ends a job or a step: its processes get signals, and are killed within
# KillWait (slurm.conf; 30 s unless it is set).
_CANCELLED = regex(r"\*{3} (?:JOB|STEP) \S+ ON \S+ CANCELLED AT ")
# What was buffered when they were killed may come behind that line: a buffer of 8 KiB of short lines.
BUFFERED = 400
KILL_SECONDS = 600.0


def outlasts(steps: Sequence[StepLine]) -> Callable[[Source], bool]:
    """Whether nothing goes on after a line, whatever step lines of the same start follow it.

    A run that starts again repeats steps, says a time long after, or writes more than a buffer.
    """
    trained = [s for s in steps if s.step or s.values]

    def final(source: Source) -> bool:
        if not _CANCELLED.search(source.text):
            return False
        own = [s for s in trained if s.source.file == source.file]
        after = [s for s in own if s.source.line > source.line]
        before = max((s.step for s in own if s.source.line < source.line), default=None)
        if before is None or len(after) > BUFFERED:
            return False
        again = any(s.step <= before for s in after)
        times = [s.source.time for s in after if s.source.time is not None]
        late = source.time is not None and any(t > source.time + KILL_SECONDS for t in times)
        return not (again or late)

    return final


def _last_exceptions(tracebacks: Sequence[Traceback]) -> dict[tuple[str, int | None], int]:
    """The line of the last exception of each rank of a file; of no rank in particular, also of a
    mistake on any rank."""
    last: dict[tuple[str, int | None], int] = {}
    for told in tracebacks:
        at = told.source
        of = {at.rank, None} if told.uncaught and told.mistake else {at.rank}
        for rank in of:
            last[at.file, rank] = max(at.line, last.get((at.file, rank), 0))
    return last


def _least(of_file: dict[int | str | None, list[int]], line: int) -> list[int]:
    """The step lines of the rank that logged least after a line; before its first step, the most.

    What is printed before any rank's first step is the launcher's, and the job that then trains is
    one: a rank that logs less often than another tells nothing.
    """
    started = any(min(numbers) < line for numbers in of_file.values())
    choose = min if started else max
    return choose(of_file.values(), key=lambda own: sum(number > line for number in own))
