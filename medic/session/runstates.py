"""How each of several runs stands, by the last lines of its logs: for a choice, no diagnosis."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from medic.case.collect import Case
from medic.case.folders import walk
from medic.errors import MedicError
from medic.facts import LogHits
from medic.planner.verdict import alive
from medic.records import dataclass
from medic.runner.look import open_regular
from medic.text.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from medic.facts import GivenFile
    from medic.index.knowledge import Index
    from medic.runner.evidence import Evidence, Observed

TAIL = 64 * 1024  # bytes of a log
LOGS = 4  # of a run, the newest: more ranks say the same
FRESH = 60.0  # seconds since a log was written, in which a run still writes
BUDGET = 10.0  # seconds for all runs of a folder; those left have no state
ROLES = ("root", "either")

_STEP = regex(r"(?i)(?:step|iter(?:ation)?)s?\W{0,4}(\d+)\b|\b(\d+)/\d")

State = Literal["failed", "writes", "ended", "silent", "unknown"]


@dataclass(frozen=True)
class RunState:
    """``symptom``: what its last lines show, "" where nothing; ``step``: the last that they tell.

    ``silent``: its log stops without a word, whether it hangs or was killed.
    """

    state: State
    symptom: str = ""
    step: int | None = None


def states(root: str, runs: Sequence[str], index: Index) -> Iterator[tuple[str, RunState]]:
    """Name and state of the runs, as many as there is time for, in order."""
    end = time.monotonic() + BUDGET
    for name in runs:
        if time.monotonic() > end:
            return
        yield name, state_of(str(Path(root) / name), index)


def state_of(folder: str, index: Index) -> RunState:
    """What the ends of the newest logs below a folder say."""
    from medic.runner.registry import all_probes
    from medic.runner.run import observe

    files = [f for f in walk(folder, []) if f.kind == "log" and f.size][:LOGS]
    parts = dict(_tails(files))
    case = Case(files=tuple(f for f in files if f.path in parts), parts=parts, root=folder)
    evidence = observe(case, index, [p for p in all_probes() if LogHits in p.gives])
    logs = evidence.fact(LogHits)
    newest = max((f.modified for f in files), default=0.0)
    if logs is None:
        return RunState("writes" if time.time() - newest < FRESH else "unknown")
    shown, step = _symptom(evidence, index), _step(logs)
    if logs.ended == "badly" or (shown and logs.ended != "well"):
        return RunState("failed", shown, step)
    if logs.ended == "well":
        return RunState("ended", "", step)
    writes = alive(logs) or time.time() - newest < FRESH
    kept: State = "writes" if writes else "silent" if logs.ended == "silent" else "unknown"
    return RunState(kept, "", step)


def _step(logs: LogHits) -> int | None:
    """The last step, if its line tells it: of lines without a number only the end was counted."""
    lines = (s.source.text for s in logs.steps if s.step == logs.last_step)
    told = (step for line in lines for found in _STEP.findall(line) for step in found)
    return logs.last_step if str(logs.last_step) in told else None


def _tails(files: Sequence[GivenFile]) -> Iterator[tuple[str, str]]:
    """Path and whole last lines of each log that can be read."""
    for file in files:
        try:
            with open_regular(file.path) as opened:
                opened.seek(max(0, file.size - TAIL))
                data = opened.read(TAIL)
        except (MedicError, OSError):
            continue
        if file.size > TAIL:
            data = data.partition(b"\n")[2]
        yield file.path, data.decode("utf-8", "replace")


def _symptom(evidence: Evidence, index: Index) -> str:
    """The first failure that the lines name: one that says what failed before one that does not."""
    seen = [o for o in evidence.observed if o.outcome == "present" and o.role in ROLES]
    seen = [o for o in seen if o.name in index.symptoms and not index.symptoms[o.name].benign]

    def rank(one: Observed) -> tuple[bool, int, int]:
        return index.symptoms[one.name].bare, ROLES.index(one.role), one.finding.source.line

    return min(seen, key=rank).name if seen else ""
