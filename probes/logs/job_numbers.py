"""The order of jobs by the numbers in their logs' names, where one of two logs tells no times.

A scheduler counts its jobs up (slurm-8812.out, pretrain_8813.err, run.o8814), and a date in a name
does the same. Numbers of tasks, ranks and nodes are not such: they are of one job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.text.patterns import regex

from .machine import ZONES_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .launches import Launch
    from .view import View

_PART_OF_ONE = regex(
    r"(?i)(?:^|[^a-z])(?:host|node|gpu|dgx|rank|worker|proc|process|task|pid|n|g|r|w)[_.-]?$"
)
_NUMBER = regex(r"([^\d/]{0,20})(\d{1,15})")
_SETTING = regex(r"(?i)(?:^|[^a-z])(?:m?bs|batch|lr|seq|len|ctx|gpus?|tp|pp|dp|zero|lora)[_.=-]?$")
_STEM = regex(r"(\D*?)\d")
SLACK_SECONDS = 60.0  # between files that were copied at once
_JOB = regex(
    r"(?:^|/)(?P<stem>[^/]*?)(?P<job>\d{3,12})(?:[_.-]\d{1,6})?\.(?:out|err)$"
    r"|(?:^|/)(?P<dated>[^/]*?)(?P<day>20[2-9]\d[01]\d[0-3]\d)[_T-]?(?P<time>[0-2]\d{5})?\.(?:log|txt)$"
    r"|(?:^|/)(?P<pbs>[^/]+)\.[oe](?P<number>\d{3,12})$"
)
# A number behind these is a machine's or a process's.
_NO_JOB = regex(r"(?i)(?:host|node|gpu|dgx|rank|worker|proc|pid|n|r|w)[_.-]?$")


def is_no_try(name: str) -> bool:
    """Whether the first number in a file's name is that of a machine, a process or a job."""
    stem = _STEM.match(name)
    return _JOB.search(name) is not None or (
        stem is not None and _PART_OF_ONE.search(stem[1]) is not None
    )


def comes_first(path: str, other: str) -> bool:
    """Whether the number in which two names differ says that one is the earlier, or says no order:
    that of a setting."""
    for found, then in zip(_NUMBER.finditer(path), _NUMBER.finditer(other), strict=False):
        if found[2] != then[2]:
            return _SETTING.search(found[1]) is not None or int(found[2]) < int(then[2])
    return False


def over(launches: Sequence[Launch]) -> list[Launch]:
    """Those that had failed, of a job before the last one that trained or failed."""
    jobs: dict[str, dict[tuple[int, ...], list[Launch]]] = {}
    for launch in launches:
        found = _job(launch.views)
        if found is not None:
            jobs.setdefault(found[0], {}).setdefault(found[1], []).append(launch)
    return [one for by_number in jobs.values() for one in _before_the_last(by_number)]


def _before_the_last(jobs: dict[tuple[int, ...], list[Launch]]) -> list[Launch]:
    told = [n for n, parts in jobs.items() if any(p.has_steps or p.failed for p in parts)]
    if len(told) < 2:
        return []
    last = max(told)
    timed = any(p.began is not None for p in jobs[last])
    written = max(p.written for p in jobs[last])
    return [
        part
        for number in sorted(told)
        if number < last and any(p.failed for p in jobs[number])
        for part in jobs[number]
        if part.written <= written + SLACK_SECONDS and not _later(part, written, timed=timed)
    ]


def _later(part: Launch, written: float, *, timed: bool) -> bool:
    """Whether the times that a log tells say more than its number: both logs have some, or it goes
    on after the last one was written. The scheduler's own last words have a time in any log."""
    return part.last is not None and (timed or part.last > written + ZONES_SECONDS)


def _job(views: Sequence[View]) -> tuple[str, tuple[int, ...]] | None:
    """(folder and stem, number) of the job whose log it is."""
    if len(views) != 1 or views[0].prefixes.rank is not None:
        return None
    path = views[0].given.path.replace("\\", "/")
    found = _JOB.search(path)
    if found is None:
        return None
    folder = path[: found.start()]
    if found["pbs"]:
        return f"{folder}/{found['pbs']}.#", (int(found["number"]),)
    if found["day"]:
        return f"{folder}/{found['dated']}#", (int(found["day"]), int(found["time"] or 0))
    stem = found["stem"]
    return None if _NO_JOB.search(stem) else (f"{folder}/{stem}#", (int(found["job"]),))
