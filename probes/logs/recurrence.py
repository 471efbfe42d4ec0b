"""Whether the run failed before in the same way: at the same step, or on the same node."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import AttemptEnd, Attempts, LogHits
from medic.i18n import Text
from medic.probe import Finding, Look, Probe

CHECK = "recurrence"


def run(look: Look) -> Iterator[Finding]:
    ends = look.fact(Attempts).ends
    if look.fact(LogHits).ended == "well" or len(ends) < 2:
        return
    last = ends[-1]
    same = [end for end in ends if end.failure == last.failure]
    if (outcome := judge(same)) is None:
        return
    value = {"times": len(same), "step": last.step, "node": last.node}
    more = tuple(end.source for end in same[:-1])
    yield Finding(CHECK, outcome, value=value, source=last.source, more=more)


def judge(same: list[AttemptEnd]) -> str | None:
    """The outcome of failures of one kind; None where they are too few, or steps and nodes untold."""
    steps = {end.step for end in same}
    nodes = {end.node for end in same}
    if len(same) < 2 or None in steps:
        return None
    if len(steps) == 1:
        return "same-step-any-node" if steps != {0} else None
    if "" in nodes:
        return None
    return "same-node-any-step" if len(nodes) == 1 else "random"


PROBE = Probe(
    name="recurrence",
    title=Text("earlier failures of the same kind", "此前的同类失败"),
    tells=(CHECK,),
    run=run,
    needs=(Attempts, LogHits),
    seconds=0.01,
    limit_seconds=5.0,
)
