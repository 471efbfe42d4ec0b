"""The probe of what a program does in each step of a run that trains on without a failure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from medic.errors import Unreadable
from medic.facts import GivenFile, Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe

from ..logs.goes_on import goes_on
from ..programs import own_programs, program_text

if TYPE_CHECKING:
    from .every_step import Habit

CHECK = "each-step"
# Whoever looks for a fault or takes a profile runs a few steps, or the run fails.
STEPS = 20
# What one of the looked-for calls has.
_WORDS = ("profiler", "export_", "detect_anomaly", "empty_cache", "gc.collect", "add_histogram")


def run(look: Look) -> Iterator[Finding]:
    if not look.files("python"):
        return
    last = goes_on(look.fact(LogHits))
    if last < STEPS:
        return
    told: set[str] = set()
    for given in _programs(look):
        for habit, source in _of(look, given):
            if habit.kind not in told:
                told.add(habit.kind)
                value = {"call": f"{habit.call}()", "cost": habit.cost, "step": last}
                yield Finding(CHECK, habit.kind, value=value, source=source)


def _programs(look: Look) -> list[GivenFile]:
    """What the launches start; where none is known, the one program that there is."""
    given = own_programs(look)
    started = {
        PurePosixPath(launch.script.text).name
        for launch in (look.fact(Launches).launches if look.has(Launches) else ())
        if launch.script is not None
    }
    found = [f for f in given if PurePosixPath(f.path).name in started]
    return found or (given if len(given) == 1 else [])


def _of(look: Look, given: GivenFile) -> Iterator[tuple[Habit, Source]]:
    try:
        text = program_text(look, given.path)
        if not any(word in text for word in _WORDS):
            return
        # Only a program has a syntax tree.
        from ..flags.script.files import SourceFiles
        from .code import Code
        from .every_step import habits

        tree = SourceFiles(look, [given]).tree(str(PurePosixPath(given.path)))
        for habit in habits(Code(tree, text)):
            line = getattr(habit.node, "lineno", 1)
            yield habit, Source(given.name, line, text=text.split("\n")[line - 1].strip())
    except (Unreadable, RecursionError):
        return  # told by the probe that reads its parser


PROBE = Probe(
    name="each-step",
    title=Text("what the program does in each step", "程序每步都做的事"),
    tells=(CHECK,),
    needs=(LogHits,),
    wants=(Launches,),
    files=("python",),
    run=run,
    seconds=0.05,
    limit_seconds=10,
)
