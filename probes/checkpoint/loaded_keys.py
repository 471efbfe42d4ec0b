"""Weights that a load left out because the file calls them by other names, and went on."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import SkippedKeys
from medic.i18n import Text
from medic.probe import Finding, Look, Probe

from .compare import Shape, compare

CHECK = "loaded-keys"
SHARE = 0.9  # of the weights left out that the file holds by another name


def run(look: Look) -> Iterator[Finding]:
    skipped = look.fact(SkippedKeys)
    have: dict[str, Shape] = dict.fromkeys(skipped.unexpected)
    wanted: dict[str, Shape] = dict.fromkeys(skipped.missing)
    if not have or not wanted:
        return
    result = compare(have, wanted, partial=True)
    if not result.rule.changes() or result.matched < SHARE * len(wanted):
        return
    value = {
        "count": len(wanted),
        "file": next(iter(have)),
        "model": next(iter(wanted)),
    }
    yield Finding(CHECK, "renamed-so-not-loaded", value=value, source=skipped.source)


PROBE = Probe(
    name="loaded-keys",
    title=Text("names left out at the load", "加载时略过的张量名"),
    tells=(CHECK,),
    needs=(SkippedKeys,),
    seconds=0.05,
    run=run,
)
