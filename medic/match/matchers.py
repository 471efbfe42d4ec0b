"""The matchers of a knowledge's signatures, each made once and kept with the knowledge."""

from __future__ import annotations

from collections.abc import Callable

from medic.index.knowledge import Index
from medic.match.marks import Watched, scanned
from medic.match.scan import Matcher


def matcher_of(index: Index) -> Matcher:
    """The matcher of all signatures of the knowledge."""
    return _kept(index, "matcher", lambda _: True)


def settings_matcher_of(index: Index) -> Matcher:
    """The matcher of lines that answer checks and are no failures: a fraction of all."""
    return _kept(index, "settings matcher", lambda own: bool(own.check and not own.symptom))


def _kept(index: Index, name: str, wanted: Callable[[Watched], bool]) -> Matcher:
    if name not in index.kept:
        index.kept[name] = Matcher([*filter(wanted, scanned(index))])
    matcher: Matcher = index.kept[name]
    return matcher
