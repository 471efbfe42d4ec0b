"""Steps that several processes log alike, each of which says that it is rank 0 of 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.facts import LogHits, StepLine
from medic.i18n import Text
from medic.probe import Finding, Look, Probe
from medic.text.patterns import regex

from .alike_losses import OWN

CHECK = "process-group"
STEPS, SHARE = 5, 0.8
_OF_ONE = regex(
    r"(?i)\br(?:ank)?[ :=]{0,2}0 ?(?:/|of) ?1\b|\bworld[_ ]?size[ :=]{1,3}1\b|\bnum_processes[ :=]{1,3}1\b"
)


def run(look: Look) -> Iterator[Finding]:
    rows = [
        s for s in look.fact(LogHits).steps if "loss" in s.values and s.source.rank in (None, 0)
    ]
    for by_step in _by_file(rows).values():
        several = {at: lines for at, lines in by_step.items() if _of_several(lines)}
        if len(several) < max(STEPS, SHARE * len(by_step)):
            continue
        step, lines = max(several.items())
        value: dict[str, float] = {"count": len(lines), "steps": len(several), "step": step}
        value |= {"loss": lines[0].values["loss"]}
        more = tuple(line.source for line in lines[1:2])
        yield Finding(CHECK, "each-alone", value, lines[0].source, more, exact=True)
        return


def _by_file(rows: list[StepLine]) -> Mapping[str, Mapping[int, list[StepLine]]]:
    found: dict[str, dict[int, list[StepLine]]] = {}
    for row in rows:
        found.setdefault(row.source.file, {}).setdefault(row.step, []).append(row)
    return found


def _of_several(lines: list[StepLine]) -> bool:
    """Whether lines of one step have one loss and times of their own, and all are of a rank 0 of 1:
    a line that was only written twice is the same in all."""
    if len(lines) < 2 or len({line.values["loss"] for line in lines}) > 1:
        return False
    if not all(_OF_ONE.search(line.source.text) for line in lines):
        return False
    return any(len({line.values.get(name) for line in lines}) == len(lines) for name in OWN)


PROBE = Probe(
    name="each-alone",
    title=Text("processes that train alone", "各自单独训练的进程"),
    tells=(CHECK,),
    needs=(LogHits,),
    run=run,
    seconds=0.02,
    limit_seconds=5.0,
)
