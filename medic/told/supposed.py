"""Answers that suppose a symptom: "all was well before" tells when the memory ran out only where it
ran out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from medic.index.knowledge import Index


def supposed_there(index: Index, name: str, present: Collection[str]) -> bool:
    """Whether a check asks of no symptom, or of one that is ``present``; True of a symptom."""
    check = index.checks.get(name)
    if check is None:
        return True
    asked = {*check.beside, *(check.ask.supposes if check.ask else ())}
    return not asked or not asked.isdisjoint(present)


def excluded(index: Index, answered: Mapping[str, str], cause: str) -> bool:
    """Whether the outcomes of checks that words tell of rule a cause out, however alike the words are."""
    links = index.ties.causes[cause].links
    return any(weight == "rules-out" and answered.get(c) == o for c, o, weight in links)
