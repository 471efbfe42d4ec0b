"""The consultation as numbered lines: for screen readers, pipes and plain terminals."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from medic.case import Case
from medic.commands.diagnose import exit_code, render
from medic.errors import EditRefused, UsageError
from medic.fixes import Fix
from medic.i18n import Text, current
from medic.index import Index
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.report.words import STATE
from medic.session import Question, Session

if TYPE_CHECKING:
    from medic.diagnosis import Diagnosis
    from medic.saved import Keeper

DONT_KNOW = Text("I don't know", "不知道")
NONE = Text("none of these causes", "以上原因都不是")


def consult(index: Index, case: Case, *, ask: bool, demo: bool = False, resume: str = "") -> int:
    """Looks, asks while an answer can change the verdict, then offers the change.

    The consultation is kept as it goes; ``resume`` names the kept one that goes on.
    """
    out = Console()
    session, keeper = _session(index, case, resume) if ask else (Session(index, case), None)
    if demo:
        out.talk(Text("A broken run that ships with medic.", "随 medic 附带的一个故障运行。"))
    session.look()
    for name, run in sorted(session.evidence.runs.items()):
        if run.state in ("found", "failed"):
            out.talk(f"[{name}] {STATE[run.state]}")
    while ask:
        question = session.next_question()
        if question is None or not _ask(out, session, question):
            break
        _keep(keeper, session)
    found = session.diagnosis()
    _keep(keeper, session, found)
    render(out, session, found, "text")
    if ask and found.causes:
        _offer(out, session)
    return exit_code(found)


def _session(index: Index, case: Case, resume: str) -> tuple[Session, Keeper | None]:
    """A new session or a kept one, and who keeps it; None where the state folder refuses."""
    from medic.saved import Keeper, case_of, load, restore

    if resume:
        saved = load(resume)
        session = Session(index, case_of(saved, index))
        restore(session, saved)
        return session, Keeper(saved.id, saved.opened)
    try:
        return Session(index, case), Keeper.new()
    except (OSError, UsageError):
        return Session(index, case), None


def _keep(keeper: Keeper | None, session: Session, found: Diagnosis | None = None) -> None:
    if keeper is None:
        return
    leader = found.causes[0] if found and found.causes else None
    named = {"code": leader.code, "title": [leader.title.en, leader.title.zh]} if leader else None
    with suppress(OSError):
        keeper.keep(session, verdict=found.verdict if found else "", leader=named)


def _read(out: Console, prompt: Text) -> str | None:
    out.out(prompt)
    line = sys.stdin.readline()
    return line.strip() if line else None


def _ask(out: Console, session: Session, question: Question) -> bool:
    """Puts one question; False when there is nobody to answer."""
    blocks = Blocks(out)
    blocks.heading(question.say)
    blocks.paragraph(question.how, "  ")
    for i, (_, title) in enumerate(question.choices, start=1):
        out.out(f"  {i}. {title}")
    last = len(question.choices) + 1
    out.out(f"  {last}. {DONT_KNOW}")
    out.out(f"  {last + 1}. {NONE}")
    reply = _read(out, Text("answer with a number (w: why):", "请输入编号（w：为什么问这个）:"))
    if reply is None:
        return False
    if reply.lower() in ("w", "why"):
        _why(out, session, question)
        return True
    number = int(reply) if reply.isdecimal() else 0
    if 1 <= number < last:
        session.answer(question.name, question.choices[number - 1][0])
    elif number == last:
        session.answer(question.name, None)
    elif number == last + 1:
        session.told.refused = True
        return False
    elif reply:
        session.complain(reply)
    return True


def _why(out: Console, session: Session, question: Question) -> None:
    titles = dict(question.choices)
    for flip in question.look.flips:
        line = Text("if {outcome}: {leader} leads", "若{outcome}：{leader} 领先")
        leader = session.index.title(flip.leader)
        out.out(
            "  " + str(line.fill(outcome=titles.get(flip.outcome, flip.outcome), leader=leader))
        )


def _offer(out: Console, session: Session) -> None:
    found = session.diagnosis()
    fixes = [f for f in session.fixes(found.causes[0].name) if f.patch is not None]
    if not fixes:
        return
    for i, fix in enumerate(fixes, start=1):
        out.out(f"  {i}. {fix.remedy.title}")
    words = Text("apply which? (number, empty: none)", "应用哪一个？（编号；直接回车则不应用）")
    reply = _read(out, words)
    if reply and reply.isdecimal() and 1 <= int(reply) <= len(fixes):
        _apply(out, fixes[int(reply) - 1])


def _apply(out: Console, fix: Fix) -> None:
    try:
        record = fix.apply()
    except EditRefused as problem:
        out.error(problem.line(current()))
        return
    done = Text("applied; take it back with: medic undo {id}", "已应用；撤销：medic undo {id}")
    out.out(done.fill(id=record.id))
