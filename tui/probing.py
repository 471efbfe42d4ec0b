"""Probes as lines of the transcript: while they run, and when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.report.words import STATE, place

from . import words
from .lines import Block, Line, Tone, pad, said
from .telling import glued, joined

if TYPE_CHECKING:
    from medic.runner import Run
    from medic.session import Session

NAME_WIDTH = 20
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
        """The probes that have ended, by their bare state: reasons come with the evidence."""
        ended = [(n, s) for n, s in self.states.items() if s != "start"]
        return Block("probe", tuple(_line(n, s, STATE[s]) for n, s in ended))


def outcomes(session: Session) -> dict[str, Line]:
    """One line for each probe with its reason or number of findings."""
    runs = session.evidence.runs
    return {name: _line(name, run.state, _outcome(session, run)) for name, run in runs.items()}


def ended(lines: Mapping[str, Line], before: Mapping[str, Line]) -> Block:
    """The probes of a look; of a later look only those that told something else than before."""
    if not lines:
        return said(words.NO_PROBES, who="probe")
    fresh = [line for name, line in lines.items() if before.get(name) != line]
    if before and len(fresh) < len(lines):
        rest = words.AS_BEFORE.fill(n=len(lines) - len(fresh))
        fresh.append(Line(rest, "muted"))
    return Block("probe", tuple(fresh))


def _line(name: str, state: str, text: Text) -> Line:
    return Line(text, STATE_TONES.get(state, "muted"), pad(name, NAME_WIDTH) + " ")


def _outcome(session: Session, run: Run) -> Text:
    state = STATE[run.state]
    if run.state == "failed":
        return Text("{state}: {error}", "{state}:{error}").fill(state=state, error=run.error)
    if run.state == "skipped":
        reason = joined([_need(skip.needs) for skip in run.skips[:2]], "; ", ";")
        return Text("{state}: {reason}", "{state}:{reason}").fill(state=state, reason=reason)
    count = len(_abnormal(session, run))
    findings = words.ONE_FINDING if count == 1 else words.FINDINGS
    parts = [findings.fill(n=count) if count else state]
    if run.probe.reads != "artefacts" and not _counts(session):
        parts.append(words.THIS_MACHINE)
    if run.seconds >= 1.0:
        parts.append(plain(f"{run.seconds:.0f} s"))
    return joined(parts, "  ", "  ")


def _need(needs: str) -> Text:
    known = [words.FACTS.get(part.strip(), plain(part.strip())) for part in needs.split(",")]
    return words.NEEDS.fill(what=joined(known))


def _counts(session: Session) -> bool:
    return session.case.this_host is True or session.evidence.host_is_the_runs is True


def _abnormal(session: Session, run: Run) -> list[tuple[Text, Text | None]]:
    """The findings of a probe that are not normal, each with its place."""
    from medic.diagnosis import finding_text

    result = []
    for finding in run.findings:
        check = session.index.checks.get(finding.name)
        normal = check.outcomes[finding.outcome].normal if check else finding.outcome == "absent"
        if not normal:
            source = finding.source
            where = plain(place(source.file, source.line, source.rank)) if source.file else None
            result.append((finding_text(session.index, finding), where))
    return result


def in_full(session: Session) -> Block:
    """/probes: every probe with its findings, every reason, and what was not read."""
    lines: list[Line] = []
    for name, run in session.evidence.runs.items():
        lines.append(_line(name, run.state, _outcome(session, run)))
        lines += [Line(text, "plain", "· ", 4, where=at) for text, at in _abnormal(session, run)]
        lines += [_gap(session, skip.check, skip.needs) for skip in run.skips if skip.check]
    for name in session.unknown:
        lines.append(_gap(session, name, "an answer"))
    for item in session.evidence.not_read:
        why = Text(item.en, item.zh)
        lines.append(Line(words.NOT_READ.fill(file=item.file, why=why), "muted"))
    return Block("probe", tuple(lines)) if lines else said(words.NO_PROBES, who="probe")


def _gap(session: Session, check: str, needs: str) -> Line:
    return Line(glued(session.index.title(check), Text(": ", ":"), _need(needs)), "muted", "? ", 4)
