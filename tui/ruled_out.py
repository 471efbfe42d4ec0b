"""Causes that are ruled out, each with what did it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.report.words import placed
from medic.run_config import FIELDS, RunConfig
from medic.told.stated import called

from . import words
from .lines import Line, joined
from .seen import LONG, SHORT, SHOWN_EVIDENCE, finding, place_of, short, shown_file

if TYPE_CHECKING:
    from medic.runner.evidence import Run
    from medic.session.consultation import Session
    from medic.session.diagnosis import CauseView, Diagnosis

SHOWN_RULED_OUT = 3
SHOWN_TITLES = 2
MOST_LOOKED_AT = 2  # fields or files of a check that passes


def ruled_out(session: Session, before: Diagnosis | None, found: Diagnosis) -> list[Line]:
    """Causes that were dimmed or came back since ``before``, each with the finding that did it."""
    old = {c.name for c in before.ruled_out} if before else set()
    fresh = [c for c in found.ruled_out if c.name not in old]
    if found.verdict == "none-of-these" and (before is None or before.verdict != found.verdict):
        fresh = list(found.ruled_out)
    back = old - {c.name for c in found.ruled_out}
    lines = _shown_ruled_out(session, fresh, told_of(found))
    lines += [
        Line(words.BACK_AGAIN.fill(title=session.index.title(name)), "plain", "○ ")
        for name in sorted(back)
    ]
    return lines


def told_of(found: Diagnosis) -> set[tuple[str, str]]:
    """(name, outcome) of the evidence that stands below the verdict: its words are not repeated."""
    evidence = found.causes[0].evidence[:SHOWN_EVIDENCE] if found.causes else ()
    return {(line.name, line.outcome) for line in evidence}


def _shown_ruled_out(
    session: Session, causes: Sequence[CauseView], told: Collection[tuple[str, str]]
) -> list[Line]:
    """Causes by the finding that ruled them out: one line each finding; one that was ``told`` is
    only named by its place."""
    groups: dict[tuple[str, str], list[CauseView]] = {}
    for cause in causes:
        by = cause.pruned_by
        groups.setdefault((by.name, by.outcome) if by else ("", ""), []).append(cause)
    lines = []
    for group in list(groups.values())[:SHOWN_RULED_OUT]:
        titles = joined([c.title for c in group[:SHOWN_TITLES]], "; ", "；")
        if len(group) > SHOWN_TITLES:
            titles = words.AND_N.fill(titles=titles, n=len(group) - SHOWN_TITLES)
        by = group[0].pruned_by
        if by is None:
            lines.append(Line(words.RULED_OUT_PLAIN.fill(title=titles), "muted", "× "))
        else:
            why, where = reason(session, group[0], LONG)
            known = where is not None and (by.name, by.outcome) in told
            pattern = words.RULED_OUT_PLAIN if known else words.RULED_OUT
            text = pattern.fill(title=titles, finding=why)
            lines.append(Line(text, "muted", "× ", where=where))
    left = sum(len(g) for g in list(groups.values())[SHOWN_RULED_OUT:])
    if left:
        lines.append(Line(words.AND_MORE.fill(n=left, word="/graph"), "muted"))
    return lines


def reason(session: Session, cause: CauseView, size: int = SHORT) -> tuple[Text, Text | None]:
    """The finding that rules a cause out, in at most ``size`` columns, and its place.

    That the cause's own check passes says nothing by itself: what it looked at does.
    """
    by = cause.pruned_by
    if by is None:
        return Text("", ""), None
    if by.name != cause.name or by.outcome != "passes":
        return finding(session, by, size), place_of(session, by)
    looked, where = looked_at(session, cause.name)
    if looked is None:
        return words.CHECKED, None
    return short(words.CHECKED_IN.fill(looked=looked), size), where


def looked_at(session: Session, check: str) -> tuple[Text | None, Text | None]:
    """The values or files that a passing check has read, and the place of the first; None where
    that is not known."""
    for run in session.evidence.runs.values():
        if any(f.name == check and f.outcome == "passes" for f in run.findings):
            return _values(session, run, check) or _files(session, run)
    return None, None


def _values(session: Session, run: Run, check: str) -> tuple[Text, Text | None] | None:
    config = session.evidence.fact(RunConfig)
    needs = next((part.needs for part in run.probe.parts if part.name == check), ())
    if config is None:
        return None
    stated = [name for name in needs if name in FIELDS and config.stated(name)][:MOST_LOOKED_AT]
    pattern = Text("{field} {value}", "{field} {value}")
    told = [pattern.fill(field=called(n), value=config.get(n)) for n in stated]
    if not told:
        return None
    origin = config.origin(stated[0])
    if origin is None or origin.span is None:
        return joined(told), None
    file = shown_file(session, origin.span.file)
    return joined(told), placed(file, origin.span.line, None)


def _files(session: Session, run: Run) -> tuple[Text | None, Text | None]:
    names = [f.name for f in session.case.files if f.kind in run.probe.files]
    return (joined(map(plain, names[:MOST_LOOKED_AT])) if names else None), None
