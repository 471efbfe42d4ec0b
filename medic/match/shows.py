"""Which causes show a symptom: those that are compared where a person tells of it."""

from __future__ import annotations

from collections.abc import Mapping

from medic.index.knowledge import Index

USUAL = ("always", "usually")  # of what a cause shows
_KEPT = "causes by symptom"


def causes_of(index: Index) -> Mapping[str, frozenset[str]]:
    """By symptom: the causes that usually show it."""
    if _KEPT not in index.kept:
        found: dict[str, set[str]] = {name: set() for name in index.raw["symptoms"]}
        for name, cause in index.ties.causes.items():
            for symptom, level in cause.shows:
                if level in USUAL:
                    found[symptom].add(name)
        index.kept[_KEPT] = {name: frozenset(those) for name, those in found.items()}
    kept: Mapping[str, frozenset[str]] = index.kept[_KEPT]
    return kept
