"""Weights that a load left out because the file calls them by other names, and went on."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Curve, LogHits, SkippedKeys, Source
from medic.i18n import Text
from medic.probe import Finding, Look, Probe

from ..curve.numbers import median
from ..curve.resume_points import starts
from .compare import Shape, compare
from .renaming import unwrap

CHECK = "loaded-keys"
LAST, FIRST, HIGHER = 10, 3, 1.05  # losses before and after a load; times, that is no jump
PEFT = "base_model.model."
SHARE = 0.9  # of the weights left out that the file holds by another name


def run(look: Look) -> Iterator[Finding]:
    skipped = look.fact(SkippedKeys)
    have: dict[str, Shape] = dict.fromkeys(skipped.unexpected)
    wanted: dict[str, Shape] = dict.fromkeys(skipped.missing)
    if not have or not wanted or _went_on(look, skipped.source):
        return
    result = compare(have, wanted, partial=True)
    if not result.rule.changes() or result.matched < SHARE * len(wanted):
        return
    value = {
        "count": len(wanted) + skipped.more,
        "file": next(iter(have)),
        "model": next(iter(wanted)),
    }
    names = {_bare(n) for n in have}
    wrapped = sum(_bare(n) in names for n in wanted) >= SHARE * len(wanted)
    outcome = "wrapped-so-not-loaded" if wrapped else "renamed-so-not-loaded"
    yield Finding(CHECK, outcome, value=value, source=skipped.source)


def _went_on(look: Look, at: Source) -> bool:
    """Whether the loss behind the load is where it was before it: the weights came all the same."""
    for start in starts(look):
        own = [r for r in start.after if r.source.file == at.file and r.source.line > at.line]
        before = [r.loss for r in start.before if r.source.file == at.file][-LAST:]
        if start.source.file == at.file and len(own) >= FIRST and len(before) >= FIRST:
            return median([r.loss for r in own[:FIRST]]) <= HIGHER * median(before)
    return False


def _bare(name: str) -> str:
    """The name without what a wrapper adds to it, PEFT's among them."""
    return unwrap(name).removeprefix(PEFT)


PROBE = Probe(
    name="loaded-keys",
    title=Text("names left out at the load", "加载时略过的张量名"),
    tells=(CHECK,),
    needs=(SkippedKeys,),
    wants=(LogHits, Curve),
    seconds=0.05,
    run=run,
)
