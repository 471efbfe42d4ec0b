"""A diagnosis as JSON: the contract medic.diagnosis/1."""

from __future__ import annotations

from typing import Any

from medic.facts import SinceGood, Source
from medic.fixes import Fix
from medic.planner.verdict import NOTHING_NAMED
from medic.report import oom_text
from medic.run_config import Change
from medic.session.consultation import Session
from medic.session.diagnosis import CauseView, Diagnosis, EvidenceLine
from medic.session.foreign import own_command
from medic.session.undecided import lacks, suspects, would_show

SCHEMA = "medic.diagnosis/1"


def diagnosis(session: Session, found: Diagnosis) -> dict[str, Any]:
    """The diagnosis with causes best first."""
    shown = would_show(session, suspects(found))
    return {
        "schema": SCHEMA,
        "verdict": found.alone,
        "may_mean": []
        if found.alone == found.verdict
        else session.told.may_mean(session.model.likeness),
        "not_established": str(lacks(session, found) or ""),
        "causes": [
            {**cause(session, c), "would_show": str(shown.get(c.name, ""))} for c in found.causes
        ],
        "also_wrong": [cause(session, c) for c in found.also_wrong],
        "unexplained": [
            {"symptom": e.name, "text": str(e.text), "source": source(e)} for e in found.unexplained
        ],
        "consequences": [
            {"symptom": e.name, "text": str(e.text), "source": source(e)}
            for e in found.consequences
        ],
        "notes": [{"name": e.name, "text": str(e.text), "source": source(e)} for e in found.notes],
        "next": _next(session, found),
        "memory": oom_text.json_data(session.memory),
        "changed_since_good": since_good(session),
        "context": found.context,
        "none_of_these": round(found.none_chance, 4),
        "not_checked": [{"name": n, "needs": needs} for n, needs in found.not_checked],
        "failed": [{"name": n, "error": e} for n, e in found.failed],
        "read": [{"file": f, "as": _kind(session, f), "bytes": b} for f, b in found.read.items()],
        "not_read": [{"file": n.file, "why": n.en} for n in found.not_read],
    }


def since_good(session: Session) -> list[dict[str, Any]]:
    """What differs from the run given as --baseline, each with both places; empty without one."""
    fact = session.evidence.fact(SinceGood)
    return [
        {
            "kind": item.kind,
            "name": item.name,
            "now": item.now,
            "good": item.good,
            "now_at": item.now_at.where(),
            "good_at": item.good_at.where(),
        }
        for item in (fact.differences if fact else ())
    ]


def _kind(session: Session, file: str) -> str:
    return next((f.kind for f in session.case.files if f.path == file), "")


def cause(session: Session, view: CauseView) -> dict[str, Any]:
    entry = session.index.causes[view.name]
    return {
        "name": view.name,
        "code": view.code,
        "title": str(view.title),
        "chance": round(view.chance, 4),
        "word": view.word,
        "explains": list(view.explains),
        "evidence": [_evidence(e) for e in view.evidence],
        "remedies": [remedy(session, f) for f in session.fixes(view.name)],
        "do_not": [str(d.say) for d in entry.do_not],
    }


def _evidence(line: EvidenceLine) -> dict[str, Any]:
    return {
        line.kind: line.name,
        "outcome": line.outcome,
        "text": str(line.text),
        "source": source(line),
        "more": [_place(one) for one in line.more],
        "weight": line.weight,
    }


def source(line: EvidenceLine) -> dict[str, Any]:
    return _place(line.source)


def _place(s: Source) -> dict[str, Any]:
    return {"file": s.file, "line": s.line, "rank": s.rank, "time": s.time, "text": s.text}


def remedy(session: Session, fix: Fix) -> dict[str, Any]:
    return {
        "name": fix.remedy.name,
        "title": str(fix.remedy.title),
        "kind": fix.remedy.kind,
        "safe": fix.safe,
        "text": str(fix.text) if fix.filled else str(fix.remedy.title),
        "change": [_change(c) for c in fix.changes],
        "diff": fix.diff,
        "needs": list(fix.missing),
        "notes": [str(n) for n in fix.notes],
        "costs": str(fix.remedy.costs.say),
        "worked_if": str(fix.remedy.check) if fix.remedy.check else "",
        "snippet": own_command(session, fix.remedy.snippet),
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "field": change.field,
        "old": change.old,
        "new": change.new,
        "why": str(change.why),
    }


def _next(session: Session, found: Diagnosis) -> dict[str, Any] | None:
    if found.next is None or found.verdict in {"established", *NOTHING_NAMED}:
        return None
    question = session.question(found.next)
    return {
        "question": question.name,
        "say": str(question.say),
        "how": str(question.how),
        "minutes": question.minutes,
        "why": [
            {"outcome": f.outcome, "leader": f.leader, "chance": round(f.chance, 3)}
            for f in found.next.flips
        ],
    }
