"""Switches for debugging that a script sets for a run that trains on without a failure."""

from __future__ import annotations

from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import Launch, Launches, LogHits, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe

CHECK = "debug-switch"
# Name -> the values that turn it on, and what each costs (CUDA programming guide, environment
# variables; torch.distributed, "TORCH_DISTRIBUTED_DEBUG").
_SWITCHES = {
    "CUDA_LAUNCH_BLOCKING": (
        ("1",),
        Text("Python waits for each kernel", "Python 会等待每个 kernel 执行完"),
    ),
    "TORCH_DISTRIBUTED_DEBUG": (
        ("DETAIL",),
        Text(
            "each collective is compared between the ranks before it runs",
            "每次集合通信之前都要在各 rank 之间核对",
        ),
    ),
}
# Whoever looks for a fault takes a few steps, or the run fails: one that goes on is a training.
STEPS = 100
MAX_LINES = 2_000  # of a script


def run(look: Look) -> Iterator[Finding]:
    logs = look.fact(LogHits)
    last = logs.last_step or max((s.step for s in logs.steps), default=0)
    if last < STEPS or logs.ended == "badly" or logs.exceptions:
        return
    for launch in look.fact(Launches).launches:
        for name, (values, cost) in _SWITCHES.items():
            if launch.environment.get(name, "").upper() in values:
                value = {"switch": f"{name}={launch.environment[name]}", "cost": cost, "step": last}
                yield Finding(CHECK, "left-on", value=value, source=_place(look, launch, name))
                return


def _place(look: Look, launch: Launch, name: str) -> Source:
    """The line that sets it, or that of the command."""
    at = launch.span
    given = next((f.name for f in look.files("script") if f.path == at.file), at.file)
    try:
        for number, text in look.lines(at.file):
            words = text.strip()
            if f"{name}=" in words and not words.startswith("#"):
                return Source(given, number, text=words)
            if number >= MAX_LINES:
                break
    except Unreadable:
        pass
    return Source(given, at.line)


PROBE = Probe(
    name="debug-switches",
    title=Text("switches for debugging", "调试开关"),
    tells=(CHECK,),
    needs=(Launches, LogHits),
    run=run,
    seconds=0.01,
)
