"""Words that name a symptom and tell nothing else: they are like the reports of one of its causes by
chance, as those begin with it, too."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from medic.entries.levels import STRONGEST
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.index.knowledge import Index

MOST_TERMS, MOST_CLAUSES = 6, 2
_CLAUSE = regex(r"[,;，；。、\n]|\bbut\b|但|不过")
_WELL = frozenset(["loss"])  # of what people say that it is well
# Of the ratio of the nearest cause: the text is so near that it is no chance.
SURE = STRONGEST * 0.99
# A short text has few words to be near by: it is no chance where the next cause is far behind.
SHORT, BEHIND = STRONGEST * 0.8, 0.8
HALF = 0.5  # of the log ratio: it orders the causes, and makes none of them likely


def share_of(text: str, symptoms: Collection[str], index: Index) -> float:
    """What part of a likeness to the reports of causes counts for a text that tells of these
    symptoms."""
    return HALF if _only_symptoms(text, symptoms, index) else 1.0


def _only_symptoms(text: str, symptoms: Collection[str], index: Index) -> bool:
    """Whether a text is a few words, all of them such as its ``symptoms`` are told in."""
    from medic.match.words import terms_of

    said = set(terms_of(text))
    clauses = [part for part in _CLAUSE.split(text) if part.strip()]
    if not symptoms or not said or len(said) > MOST_TERMS or len(clauses) > MOST_CLAUSES:
        return False
    raw = index.raw["symptoms"]
    phrases = [p for n in symptoms for every in raw[n].get("phrases", {}).values() for p in every]
    known = {term for phrase in phrases for term in terms_of(phrase)}
    return said <= known | _WELL


def stands_out(likeness: Mapping[str, float]) -> bool:
    """Whether the nearest cause is so near that it is no chance."""
    first, second, *_ = *sorted(likeness.values(), reverse=True), 0.0, 0.0
    return first >= SURE or (first >= SHORT and second <= BEHIND * first)
