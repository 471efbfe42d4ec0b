"""Which questions, and which of their answers, make sense for what is known of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.beliefs.conditions import allows
from medic.facts import LogHits, Tracebacks
from medic.i18n import Text
from medic.planner.looks import Open
from medic.planner.questions import choices, denies, of_rl, speaks_of_rl
from medic.planner.verdict import leading_symptoms

if TYPE_CHECKING:
    from medic.session.consultation import Session


SILENT = "stopped-without-a-word"
# Families of what others record of the end of a run, whose own log shows nothing.
OUTSIDE = ("scheduler", "ranks", "hardware", "storage")


def still_open(session: Session) -> list[Open]:
    """Checks and symptoms that a person could still answer. Rollouts, rewards and engines are
    asked about where something was seen or said of them: elsewhere nobody could answer; nor what
    supposes a symptom that is not there, or another kind of run; nor whether something failed at all.
    A run that goes on raised nothing; one whose log just stops has printed no message."""
    index = session.index
    known = {h.seen.name for h in session.found} | set(session.unknown)
    asked = {name: c.minutes for name, c in index.ties.checks.items() if name not in known}
    looks = [Open(name, minutes) for name, minutes in asked.items() if minutes is not None]
    present = {h.seen.name for h in session.found if h.seen.outcome == "present"}
    silent = SILENT in present
    shown = [index.symptoms[name] for name in present if name in index.symptoms]
    goes_on = bool(shown) and all(one.goes_on for one in shown)
    if LogHits not in session.evidence.facts:  # else its symptoms are seen or not seen
        for name, symptom in index.symptoms.items():
            if symptom.ask and name not in known and not (symptom.benign or symptom.bare):
                if silent and symptom.signatures and symptom.family not in OUTSIDE:
                    continue
                looks.append(Open(name, symptom.ask.minutes))
    if not speaks_of_rl(index, session.seen):
        looks = [look for look in looks if not of_rl(index, look.name)]
    absent = {h.seen.name for h in session.found if h.seen.outcome == "absent"}

    def fits(name: str) -> bool:
        check = index.checks.get(name)
        if check is None or check.ask is None:
            return True
        if check.ask.supposes and present.isdisjoint(check.ask.supposes):
            return False  # no line is there that it asks about, and nobody told of one
        if check.ask.of == "traceback" and (_raised(session) or goes_on):
            return False
        normal = [outcome for outcome, one in check.outcomes.items() if one.normal]
        supposes = any(denies(o, absent) and not denies(o, present) for o in normal)
        return not supposes and allows(check.ask.applies_when, session.context)

    return [look for look in looks if fits(look.name)]


def _raised(session: Session) -> bool:
    """Whether a traceback was read: what it says is known."""
    read = session.evidence.fact(Tracebacks)
    return read is not None and bool(read.all)


def options(session: Session, name: str) -> tuple[tuple[str, Text], ...]:
    """The answers to a question, without those that the run rules out."""
    check = session.index.checks.get(name)
    present = {h.seen.name for h in leading_symptoms(session.index, session.found)}
    offered = choices(check, present)
    if check is None:
        return offered
    conditions = {outcome: one.applies_when for outcome, one in check.outcomes.items()}
    return tuple(one for one in offered if allows(conditions[one[0]], session.context))
