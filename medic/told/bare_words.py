"""Words that name a symptom and tell nothing else: they are like the reports of one of its causes by
chance, as those begin with it, too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from medic.entries.levels import STRONGEST
from medic.entries.words import TELLTALE
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
LED = STRONGEST / 4  # of a cause that the few words of a text speak for: it comes into question
BARE = 2  # terms of a name: "loss is nan"
HALF = 0.5  # of the log ratio: it orders the causes, and makes none of them likely


def share_of(
    text: str,
    symptoms: Collection[str],
    answered: Mapping[str, str],
    index: Index,
    *,
    alone: bool,
) -> float:
    """What part of a likeness to the reports of causes counts for a text that tells of these
    symptoms and answers these checks (check: outcome): none where it is but the name of a symptom,
    or says those two and no more: they are findings already. Not ``alone``, beside files that show
    something else, it says by its likeness what it would mean."""
    from medic.match.words import terms_of

    said = frozenset(terms_of(text))
    clauses = [part for part in _CLAUSE.split(text) if part.strip()]
    if not symptoms or not said or len(said) > MOST_TERMS or len(clauses) > MOST_CLAUSES:
        return 1.0
    of_symptoms = _words(index.raw["symptoms"][n] for n in symptoms) | _WELL
    if said <= of_symptoms:
        return 0.0 if alone and len(said) <= BARE else HALF
    checks = index.raw["checks"]
    own = (checks[n]["outcomes"][o] for n, o in answered.items() if n in checks and n != TELLTALE)
    return 0.0 if alone and answered and said <= of_symptoms | _words(own) else 1.0


def spoken_for(answered: Mapping[str, str], index: Index) -> dict[str, float]:
    """Log ratios of the causes that the answers speak strongly for, alike in every language."""
    told = set(answered.items())
    return {
        name: LED
        for name, ties in index.ties.causes.items()
        if any((c, o) in told and weight in ("confirms", "strong") for c, o, weight in ties.links)
    }


def _words(entries: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Terms of the phrases of symptoms and outcomes."""
    from medic.match.words import terms_of

    phrases = (p for one in entries for every in one.get("phrases", {}).values() for p in every)
    return frozenset(term for phrase in phrases for term in terms_of(phrase))


def few(text: str) -> bool:
    """Whether a text is so short that it makes no cause likely, unless it names one."""
    from medic.match.words import terms_of

    return len(set(terms_of(text))) <= MOST_TERMS


def stands_out(likeness: Mapping[str, float]) -> bool:
    """Whether the nearest cause is so near that it is no chance."""
    first, second, *_ = *sorted(likeness.values(), reverse=True), 0.0, 0.0
    return first >= SURE or (first >= SHORT and second <= BEHIND * first)
