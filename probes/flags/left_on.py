"""Switches for debugging that a script sets for a run that trains on without a failure."""

from __future__ import annotations

from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import Launch, Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe

from ..logs.goes_on import goes_on
from .debug_switches import VARIABLES, stays

CHECK = "debug-switch"
# Whoever looks for a fault takes a few steps, or the run fails: one that goes on is a training.
STEPS = 100
MAX_LINES = 2_000  # of a script


def run(look: Look) -> Iterator[Finding]:
    last = goes_on(look.fact(LogHits))
    if last < STEPS:
        return
    for launch in look.fact(Launches).launches:
        for name, (on, cost) in VARIABLES.items():
            word = launch.environment.get(name, "")
            place = _place(look, launch, name) if on.match(word) else None
            if place is not None:
                value = {"switch": f"{name}={word}", "cost": cost, "step": last}
                yield Finding(CHECK, "left-on", value=value, source=place)
                return


def _place(look: Look, launch: Launch, name: str) -> Source | None:
    """The line that sets it, or that of the command; None where a comment says that it is to stay."""
    at, above = launch.span, ""
    given = next((f.name for f in look.files("script") if f.path == at.file), at.file)
    try:
        for number, text in look.lines(at.file):
            words = text.strip()
            if f"{name}=" in words and not words.startswith("#"):
                return None if stays(above, text) else Source(given, number, text=words)
            if number >= MAX_LINES:
                break
            above = text
    except Unreadable:
        pass
    return Source(given, at.line)


PROBE = Probe(
    name="switches-left-on",
    title=Text("switches for debugging", "调试开关"),
    tells=(CHECK,),
    needs=(Launches, LogHits),
    run=run,
    seconds=0.01,
)
