"""The sentence of a text that something was read of, where it was read of the text with gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.index.knowledge import Index

_SENTENCE = regex(r"\n|(?<=[.!?;])\s+|(?<=[。！？；])")


def cited(said: str, words: str) -> str:
    """``said`` as it stands in ``words``; the sentence that has most of its terms where it was read
    with gaps, and all of the words where none has any."""
    if said in words:
        return said
    from medic.match.words import terms_of

    own = frozenset(terms_of(said))
    parts = [part.strip() for part in _SENTENCE.split(words) if part.strip()]
    best = max(parts, key=lambda part: len(own & frozenset(terms_of(part))), default="")
    return best if own & frozenset(terms_of(best)) else words.strip()


def denying(name: str, words: str, index: Index) -> str:
    """The sentence that denies a symptom on its own; all of the words where none does."""
    from medic.match import denied

    parts = (part.strip() for part in _SENTENCE.split(words))
    return next((part for part in parts if name in denied(part, index)), words.strip())
