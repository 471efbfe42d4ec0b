"""Versions that have a cause's fault, as lines of the answer: where each is stated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from medic.beliefs.context import stated_versions
from medic.entries import Version
from medic.facts import Source
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.records import replace
from medic.session.diagnosis import CauseView, EvidenceLine
from medic.versions import affected

RELEASE = "release"  # in place of a check
_WITHIN = Text(
    "{n} {v} is within {spec}, where this fault is", "{n} {v} 属于有此缺陷的版本范围（{spec}）"
)


def with_versions(index: Index, cause: CauseView, facts: Mapping[type[Any], Any]) -> CauseView:
    """The cause with a line for each version of the case that has its fault, if they all have."""
    if not index.raw["causes"][cause.name].get("versions"):
        return cause  # most: they are not decoded for it
    stated = stated_versions(facts)
    faults = index.causes[cause.name].versions
    if not affected(faults, {name: version for name, (version, _) in stated.items()}):
        return cause
    return replace(cause, evidence=(*cause.evidence, *_lines(faults, stated)))


def _lines(
    faults: Sequence[Version], stated: Mapping[str, tuple[str, Source]]
) -> Iterator[EvidenceLine]:
    for fault in faults:
        version, source = stated.get(fault.package, ("", Source()))
        if version and affected((fault,), {fault.package: version}):
            text = _WITHIN.fill(n=fault.package, v=version, spec=fault.spec)
            yield EvidenceLine("check", RELEASE, "affected", text, source, "weak")
