"""The matchers of a knowledge's signatures, each made once and kept with the knowledge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from medic.index.knowledge import Index
from medic.match.landmarks import LANDMARKS
from medic.match.marks import Watched, patterns_of, scanned
from medic.match.scan import Matcher
from medic.match.sieve import sieve_of


def matcher_of(index: Index) -> Matcher:
    """The matcher of all signatures of the knowledge."""
    return _kept(index, "matcher")


def settings_matcher_of(index: Index) -> Matcher:
    """The matcher of lines that answer checks and are no failures: a fraction of all."""
    return _kept(index, "settings matcher", "answers")


def written(marks: Sequence[Watched]) -> Mapping[str, Any]:
    """What the matchers of the marks are made of, as JSON data: it takes a second to work out."""
    answers = [n for n, own in enumerate(marks, len(LANDMARKS)) if own.check and not own.symptom]
    return {**sieve_of(patterns_of(marks)), "answers": [*range(len(LANDMARKS)), *answers]}


def _kept(index: Index, name: str, some: str = "") -> Matcher:
    if name not in index.kept:
        marks = scanned(index)
        made = index.raw.get("sieve") or written(marks)
        only = frozenset(made[some]) if some else None
        index.kept[name] = Matcher(marks, sieve=made, only=only)
    matcher: Matcher = index.kept[name]
    return matcher
