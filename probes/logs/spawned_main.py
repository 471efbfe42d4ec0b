"""Whether a spawned process ran the script's main part again, by the frames of its traceback."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Frame, Traceback, Tracebacks
from medic.i18n import Text
from medic.probe import Finding, Look, Probe

from .evidence import is_library

CHECK = "spawned-main"
_IMPORTS_MAIN = "_fixup_main_from_path"  # multiprocessing/spawn.py: it runs the script as a module


def run(look: Look) -> Iterator[Finding]:
    for told in look.fact(Tracebacks).all:
        frame = _runs_main(told)
        if frame is not None:
            value = {"function": frame.function, "file": frame.file, "line": str(frame.line)}
            yield Finding(CHECK, "ran-again", value=value, source=told.source)
            return


def _runs_main(told: Traceback) -> Frame | None:
    """The function that the script's top level calls as a spawned process imports the script: a
    guard would have kept it from there."""
    functions = [f.function for f in told.frames]
    if _IMPORTS_MAIN not in functions:
        return None
    rest = told.frames[functions.index(_IMPORTS_MAIN) + 1 :]
    own = [f for f in rest if not is_library(f.file)]
    if len(own) < 2 or own[0].function != "<module>" or own[0].code.startswith(("import", "from")):
        return None
    return own[1] if own[1].file == own[0].file and own[1].function != "<module>" else None


PROBE = Probe(
    name="spawned-main",
    title=Text("what spawned processes run", "spawn 出的进程运行了什么"),
    tells=(CHECK,),
    needs=(Tracebacks,),
    seconds=0.01,
    run=run,
)
