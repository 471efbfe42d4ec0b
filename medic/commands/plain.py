"""The consultation as lines: for screen readers, pipes and plain terminals."""

from __future__ import annotations

from importlib import import_module

from medic.case.collect import Case
from medic.commands.diagnosing import exit_code, render
from medic.commands.given import knowledge
from medic.errors import Exit
from medic.i18n import Text
from medic.report.console import Console
from medic.session.consultation import Session


def consult(
    case: Case, *, ask: bool, demo: bool = False, which: bool = False, resume: str = ""
) -> int:
    """The talk of the app without its screen; without ``ask`` the diagnosis alone.

    The consultation is kept as it goes; ``resume`` names the kept one that goes on.
    """
    out = Console()
    if demo:
        out.talk(Text("A broken run that ships with medic.", "随 medic 附带的一个故障运行。"))
    if not ask:
        session = Session(knowledge(), case)
        session.look()
        found = session.diagnosis()
        render(out, session, found, "text")
        return exit_code(found)
    opening = import_module("medic.tui.desk").Opening(knowledge, case, demo, which, resume)
    found = import_module("medic.tui.plain").PlainTalk(opening, out).run()
    return exit_code(found) if found is not None else Exit.OK
