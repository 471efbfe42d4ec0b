"""How the scheduler's accounting says that the job of these logs ended.

sacct and squeue list all jobs of the day unless one is asked for: rows of other jobs say nothing of
this one, and where several are listed and no log names its own, none does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from medic.facts import Hit
from medic.records import replace
from medic.text.patterns import regex

if TYPE_CHECKING:
    from .slurm_records import Record
    from .view import View

_SLURM = regex(
    r"(?:^|/)slurm-(?P<job>\d{1,12})(?P<task>_\d{1,7})?(?:[_.-]\w{1,12})?\.(?:out|err|log)$"
)
_NUMBER = regex(r"\d{3,12}(?:_\d{1,7})?")
_ENDED = regex(r"\*\*\* (?:JOB|STEP) (\d{1,12})\S* ON ")
# state -> (symptom, cause that it alone tells, role)
_TELLS = {
    "OUT_OF_MEMORY": ("host-out-of-memory", "", "root"),
    "PREEMPTED": ("job-ended-by-scheduler", "job-preempted", "root"),
    "TIMEOUT": ("job-ended-by-scheduler", "time-limit-reached", "root"),
    "DEADLINE": ("job-ended-by-scheduler", "time-limit-reached", "root"),
    "NODE_FAIL": ("node-lost", "node-failed", "root"),
    "CANCELLED": ("job-ended-by-scheduler", "job-cancelled-by-a-person", "either"),
}
LIMIT = 0.9  # of the granted memory: what a step used is sampled, twice a minute by default


def settle(views: Sequence[View]) -> None:
    """Puts in the place of all hits in rows of the accounting the one that tells of this run, whose
    last launch the views are of."""
    named = {job for view in views if (job := _job(view.given.path))}
    own = named or {job for view in views for job in view.jobs.own}
    loose = {n for view in views if not named for n in _NUMBER.findall(_name(view))}
    for view in views:
        records = view.jobs.found
        if not records and not named:
            continue
        rows = {r.source.line for r in records}
        hits = [h for h in view.scan.hits if h.source.line not in rows]
        if named and not view.steps and not _job(view.given.path):
            hits = [h for h in hits if not _of_another(h.source.text, named)]
        if (record := _own(records, own, loose)) is not None:
            hits += _told(record, view)
        if records or len(hits) < len(view.scan.hits):
            view.scan = replace(view.scan, hits=tuple(hits))


def _name(view: View) -> str:
    return view.given.path.replace("\\", "/").rpartition("/")[2]


def _job(path: str) -> str:
    """The job, with its task, of which Slurm's default name says that a log is."""
    named = _SLURM.search(path)
    return named["job"] + (named["task"] or "") if named else ""


def _base(job: str) -> str:
    return job.partition("_")[0].partition("+")[0]


def _same(job: str, own: set[str]) -> bool:
    """Of an array that names no task, any task is meant."""
    return job in own or any(_base(job) == o or (o.startswith(job + "_")) for o in own)


def _of_another(text: str, own: set[str]) -> bool:
    told = _ENDED.search(text)
    return told is not None and not any(_base(o) == told[1] for o in own)


def _own(records: Sequence[Record], own: set[str], loose: set[str]) -> Record | None:
    """The record of the run's job: of its last try, and of a step only where that says more."""
    jobs = {r.job for r in records}
    if jobs != {""}:
        wanted = {j for j in jobs if _same(j, own)} or {j for j in jobs if j in loose and not own}
        if not wanted and not own and len(jobs) == 1:
            wanted = jobs
        if len(wanted) != 1:
            return None
        records = [r for r in records if r.job in wanted]
    whole = next((r for r in reversed(records) if not r.step), None)
    short = next((r for r in records if r.step and r.state == "OUT_OF_MEMORY"), None)
    if whole is None:
        return short or next(iter(records), None)
    steps = [r.share for r in records if r.share and r.state == "OUT_OF_MEMORY"]
    if whole.state == "OUT_OF_MEMORY" and steps:
        return replace(whole, share=max(steps))
    return short if whole.state == "FAILED" and short is not None else whole


def _told(record: Record, view: View) -> Iterator[Hit]:
    if record.state not in _TELLS:
        return
    symptom, cause, role = _TELLS[record.state]
    yield Hit(
        signature="slurm-accounting",
        symptom=symptom,
        role=role,
        source=record.source,
        captures={"state": record.state} | ({"share": record.share} if record.share else {}),
        order=view.order(record.source.line),
        check="telltale" if cause else "",
        outcome=cause,
    )
