"""Probes as lines of the transcript: while they run, and when they are asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.report.words import STATE, file_name, placed
from medic.runner.registry import title_of

from . import words
from .lines import Block, Line, Tone, joined, said
from .needs import is_reason, need
from .seen import shown_file, with_question

if TYPE_CHECKING:
    from medic.case.collect import NotRead
    from medic.runner.evidence import Run
    from medic.session.consultation import Session

SHOWN_REASONS = 1
SHOWN_LEFT = 3
LONG_SECONDS = 5.0
STATE_TONES: dict[str, Tone] = {"found": "plain", "failed": "warn"}


class Board:
    """What the probes of one look have told so far."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.states: dict[str, str] = {}

    def take(self, name: str, state: str) -> None:
        self.states[name] = state

    @property
    def running(self) -> list[str]:
        return sorted(n for n, state in self.states.items() if state == "start")

    @property
    def done(self) -> int:
        return sum(state != "start" for state in self.states.values())

    def block(self) -> Block:
        """The probes that have failed so far: the others are told when all have ended."""
        failed = [(n, s) for n, s in self.states.items() if s == "failed"]
        return Block("probe", tuple(_line(n, s, STATE[s]) for n, s in failed))


def outcomes(session: Session) -> dict[str, Line]:
    """One line for each probe with its reason or number of findings."""
    runs = session.evidence.runs
    return {name: _line(name, run.state, _outcome(session, run)) for name, run in runs.items()}


def ended(session: Session, lines: Mapping[str, Line], before: Mapping[str, Line]) -> Block:
    """The probes of a look in one line, and each that failed or took long, unless the look
    ``before`` told so: what they have found the answer tells."""
    if not lines:
        return said(words.NO_PROBES, who="probe")
    runs = session.evidence.runs
    count = Counter(run.state for run in runs.values())
    findings = sum(bool(abnormal(session, run)) for run in runs.values())
    seen = not findings and bool(session.observed_symptoms())
    text = (words.PROBES_BESIDE if seen else words.PROBES_ENDED).fill(
        n=len(runs), found=findings, quiet=count["found"] + count["absent"] - findings
    )
    told = [Line(text, "muted")]
    if count["skipped"] and not before:
        told.append(Line(words.NOTHING_TO_READ.fill(n=count["skipped"]), "muted"))
    told += [
        lines[name]
        for name, run in runs.items()
        if (run.state == "failed" or run.seconds >= LONG_SECONDS)
        and before.get(name) != lines[name]
    ]
    return Block("probe", tuple(told))


def _line(name: str, state: str, text: Text) -> Line:
    told = Text("{probe}: {text}", "{probe}：{text}").fill(probe=title_of(name), text=text)
    return Line(told, STATE_TONES.get(state, "muted"))


def _outcome(session: Session, run: Run) -> Text:
    state = STATE[run.state]
    if run.state == "failed":
        return Text("{state}: {error}", "{state}：{error}").fill(state=state, error=run.error)
    if run.state == "skipped":
        reason = joined(_reasons(run), "; ", "；")
        return Text("{state}: {reason}", "{state}：{reason}").fill(state=state, reason=reason)
    count = len(abnormal(session, run))
    findings = words.ONE_FINDING if count == 1 else words.FINDINGS
    told = words.READ if run.state == "found" else state
    parts = [findings.fill(n=count) if count else told]
    if run.probe.reads != "artefacts" and not session.evidence.host_is_the_runs:
        parts.append(words.THIS_MACHINE)
    if run.seconds >= 1.0:
        parts.append(plain(f"{run.seconds:.0f} s"))
    return joined(parts, "  ", "  ")


def _reasons(run: Run) -> list[Text]:
    """What it lacks, each once; the rest is told by /probes."""
    lacks = list(dict.fromkeys(skip.needs for skip in run.skips))
    return [needs_of(n) for n in lacks[:SHOWN_REASONS]]


def needs_of(lack: Text) -> Text:
    return lack if is_reason(lack) else words.NEEDS.fill(what=need(lack))


def abnormal(session: Session, run: Run) -> list[tuple[Text, Text | None]]:
    """The findings of a probe that are not normal, each with its place."""
    from medic.session.sentences import finding_text

    result = []
    for finding in run.findings:
        check = session.index.checks.get(finding.name)
        normal = check.outcomes[finding.outcome].normal if check else finding.outcome == "absent"
        if not normal:
            source = finding.source
            file = shown_file(session, source.file)
            where = placed(file, source.line, source.rank) if file else None
            text = finding_text(session.index, finding)
            text = with_question(session, finding.name, finding.outcome, text)
            result.append((text, where))
    return result


def not_read(session: Session, known: list[NotRead]) -> tuple[Block | None, list[NotRead]]:
    """What was left out and not told yet, and all that is known then."""
    from medic.session.pasted import ANOTHER  # is told where it is set aside

    left = [i for i in session.evidence.not_read if i not in known and i.en != ANOTHER.en]
    if not left:
        return None, known
    lines = [
        Line(words.NOT_READ.fill(file=file_name(item.file), why=Text(item.en, item.zh)), "muted")
        for item in left[:SHOWN_LEFT]
    ]
    if len(left) > SHOWN_LEFT:
        lines.append(Line(words.AND_MORE.fill(n=len(left) - SHOWN_LEFT, word="/probes"), "muted"))
    return Block("more", tuple(lines)), [*known, *left]
