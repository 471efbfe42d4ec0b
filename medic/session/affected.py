"""Versions that have a cause's fault, as lines of the answer: where each is stated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from medic.facts import Packages, Releases, Source
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.records import replace
from medic.session.diagnosis import CauseView, EvidenceLine
from medic.versions import affected, pins

RELEASE = "release"  # in place of a check
_WITHIN = Text(
    "{n} {v} is within {spec}, where this fault is", "{n} {v} 属于有此缺陷的版本范围（{spec}）"
)


def with_versions(index: Index, cause: CauseView, facts: Mapping[type[Any], Any]) -> CauseView:
    """The cause with a line for each version of the case that has its fault, if they all have."""
    if not index.raw["causes"][cause.name].get("versions"):
        return cause  # most: they are not decoded for it
    known = {name: version for name, (version, _) in _stated(facts).items()}
    if not affected(index.causes[cause.name].versions, known):
        return cause
    return replace(cause, evidence=(*cause.evidence, *_lines(index, cause.name, facts)))


def _lines(index: Index, name: str, facts: Mapping[type[Any], Any]) -> Iterator[EvidenceLine]:
    stated = _stated(facts)
    for fault in index.causes[name].versions:
        version, source = stated.get(fault.package, ("", Source()))
        if version and affected((fault,), {fault.package: version}):
            text = _WITHIN.fill(n=fault.package, v=version, spec=fault.spec)
            yield EvidenceLine("check", RELEASE, "affected", text, source, "weak")


def _stated(facts: Mapping[type[Any], Any]) -> dict[str, tuple[str, Source]]:
    """Version and place by package, as the context takes them: what was printed comes first."""
    releases, packages = facts.get(Releases), facts.get(Packages)
    named = releases.packages if isinstance(releases, Releases) else {}
    found = {
        name: (release.version, release.source)
        for name, release in named.items()
        if release.version and release.source.line and pins(release.source.file)
    }
    if isinstance(packages, Packages):
        found |= {
            name: (version, packages.sources.get(name, Source()))
            for name, version in packages.versions.items()
        }
    return found
