"""What a sentence says beside the words of an entry.

A comparison of words knows neither what a verb belongs to nor whose number a number is: "the
validation loss falls, too" has the words of one that rises, "lr is 0.0 and the loss stays" those of
a loss of zero. Entries name what a sentence must say, or must not, to mean them; the vocabulary of
the knowledge holds how people say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from medic.entries.words import SPEAKS_AGAINST, TELLTALE
from medic.text.patterns import regex

if TYPE_CHECKING:
    from re import Match, Pattern

    from medic.index.knowledge import Index

_PART = regex(r",\s|[，、,;；。\n]|(?<=[.!?])\s|\b(?:and|but|while|yet)\b|但是?|而且?")
_SENTENCE = regex(r"\n|(?<=[.!?;])\s|[。！？；]")
_FLAGS = "(?ai)"
Row = Mapping[str, Any]  # of a saying or a claim, as the compiled knowledge has it


def written(vocabulary: Mapping[str, Row]) -> dict[str, Row]:
    """Every saying of the compiled vocabulary as ``Sayings`` reads it: patterns joined, no examples."""
    rows: dict[str, Row] = {}
    for subject in vocabulary.values():
        for name, one in subject["sayings"].items():
            kept = {k: v for k, v in one.items() if k in ("needs", "claims", "unless", "causes")}
            if one.get("patterns"):
                kept["pattern"] = joined(one["patterns"])
            if one.get("denied_by"):
                kept["denied_by"] = joined(one["denied_by"], "$")
            rows[name] = kept
    return rows


def joined(patterns: Iterable[str], end: str = "") -> str:
    """One pattern of several alternatives."""
    return f"{_FLAGS}(?:{'|'.join(patterns)}){end}"


class Sayings:
    """Sayings by name, each read and its patterns compiled when it is first asked for."""

    def __init__(self, rows: Mapping[str, Row]) -> None:
        self._rows = rows
        self._patterns: dict[str, Pattern[str]] = {}

    def says(self, name: str, text: str) -> bool:
        """Whether a text says what a saying is about."""
        row = self._rows[name]
        if "pattern" in row and not any(self._undenied(name, text)):
            return False
        if not all(self.says(one, text) for one in row.get("needs", ())):
            return False
        claims = row.get("claims")
        if claims and not any(self._claimed(one, text) for one in claims):
            return False
        return not any(self._claimed(one, text) for one in row.get("unless", ()))

    def quote(self, name: str, text: str) -> str:
        """The first sentence that makes one of the claims of what a text says; empty: none does."""
        if not self.says(name, text):
            return ""
        claims = self._rows[name].get("claims", ())
        parts = (part.strip() for part in _SENTENCE.split(text))
        return next((p for p in parts if any(self._claimed(c, p) for c in claims)), "")

    def without(self, names: Iterable[str], text: str) -> str:
        """The text with a gap for each of these words."""
        for name in names:
            text = self._pattern(self._rows[name]["pattern"]).sub(" ", text)
        return text

    def _claimed(self, claim: Row, text: str) -> bool:
        of, not_of = claim.get("of", ()), claim.get("not_of", ())
        for part in _PART.split(text) if of or not_of else (text,):
            if of and not any(self._has(name, part) for name in of):
                continue
            if any(self._has(name, part) for name in not_of):
                continue
            if self._holds(claim, self.without(claim.get("apart_from", ()), part)):
                return True
        return False

    def _holds(self, claim: Row, text: str) -> bool:
        says, denies = claim.get("says", ()), claim.get("denies", ())
        if not (says or denies):
            return True
        if any(_fits(claim, found) for name in says for found in self._undenied(name, text)):
            return True
        return any(any(self._found(name, text, denied=True)) for name in denies)

    def _has(self, name: str, text: str) -> bool:
        return self._pattern(self._rows[name]["pattern"]).search(text) is not None

    def _undenied(self, name: str, text: str) -> Iterator[Match[str]]:
        return self._found(name, text, denied=False)

    def _found(self, name: str, text: str, *, denied: bool) -> Iterator[Match[str]]:
        """Places of a word, those behind a denial or all others."""
        row = self._rows[name]
        before = row.get("denied_by", "")
        for found in self._pattern(row["pattern"]).finditer(text):
            told = before and self._pattern(before).search(text[: found.start()]) is not None
            if bool(told) == denied:
                yield found

    def _pattern(self, pattern: str) -> Pattern[str]:
        if pattern not in self._patterns:
            self._patterns[pattern] = re.compile(pattern)
        return self._patterns[pattern]


def _fits(claim: Row, found: Match[str]) -> bool:
    """Whether the numbers of a word are those that a claim is about."""
    numbers = [float(one) for one in found.groups() if one]
    least, below = claim.get("at_least"), claim.get("below")
    if least is not None and not (numbers and numbers[0] >= least):
        return False
    if below is not None and not (numbers and numbers[0] < below):
        return False
    if claim.get("rises") and not numbers[-1] > numbers[0]:
        return False
    return not claim.get("falls") or numbers[-1] < numbers[0]


def sayings_of(index: Index) -> Sayings:
    """Those of the knowledge, made once and kept with it."""
    if "sayings" not in index.kept:
        index.kept["sayings"] = Sayings(index.sayings)
    found: Sayings = index.kept["sayings"]
    return found


def contrary(name: str, sentence: str, index: Index) -> bool:
    """Whether a sentence near to a symptom or an outcome ("check=outcome") says something else."""
    asked = index.told["meant"].get(name)
    if asked is None:
        return False
    say = sayings_of(index)
    needed, banned = asked
    return any(say.says(one, sentence) for one in banned) or not all(
        say.says(one, sentence) for one in needed
    )


def denied(text: str, index: Index) -> frozenset[str]:
    """Symptoms that a text as a whole says are not so."""
    say = sayings_of(index)
    asked: Mapping[str, Sequence[str]] = index.told["denied"]
    return frozenset(n for n, those in asked.items() if any(say.says(one, text) for one in those))


def told_of(text: str, index: Index, kind: str = "said") -> dict[str, str]:
    """Symptoms and outcomes ("check=outcome", "telltale=cause") that a text tells of in words of
    their own: the sentences. ``kind``: "said_of" for those that count beside a symptom alone."""
    say = sayings_of(index)
    asked: Mapping[str, Sequence[str]] = index.told[kind]
    quotes = {n: next(filter(None, (say.quote(s, text) for s in asked[n])), "") for n in asked}
    return {name: quote for name, quote in quotes.items() if quote}


def led_by(
    said: Iterable[str], ratios: Mapping[str, float], causes: Mapping[str, Row]
) -> dict[str, float]:
    """Log ratios of a likeness beside answers that a text gives in words ("check=outcome"): half for
    the causes that none of them speaks for; what alone tells of a cause makes it as near as any."""
    answers = [name for name in said if "=" in name]
    named = {cause for name in answers for cause in _spoken_for(name, causes)}
    kept = {n: r / 2 if named and n not in named else r for n, r in ratios.items()}
    own = {n.partition("=")[2] for n in answers if n.startswith(f"{TELLTALE}=")}
    least = max(kept.values(), default=0.0)
    return kept | {n: max(least, kept.get(n, 0.0)) for n in own}


def _spoken_for(name: str, causes: Mapping[str, Row]) -> set[str]:
    """The causes that an answer in words speaks for."""
    check, _, outcome = name.partition("=")
    if check == TELLTALE:
        return {outcome}
    told = ((n, one) for n, cause in causes.items() for one in cause.get("told_by", ()))
    return {
        n
        for n, one in told
        if (one["check"], one["outcome"]) == (check, outcome)
        and one["weight"] not in SPEAKS_AGAINST
    }


def asked_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What the entries ask of a sentence, by entry: (must say, must not say) where a sentence near to
    it means it; what denies it; what alone tells of it, "said_of" where only beside a symptom that was
    read; what it is called where it is denied; and what a text speaks of that means a cause."""
    kinds = ("meant", "denied", "said", "said_of", "called", "of")
    found: dict[str, Any] = {kind: {} for kind in kinds}
    for name, one in raw["symptoms"].items():
        _ask(found["meant"], name, one, ())
        for kind, field in (("denied", "denied_when"), ("said", "said_by")):
            if field in one:
                found[kind][name] = one[field]
        if "called" in one:
            found["called"][name] = "|".join(one["called"])
    for name, check in raw["checks"].items():
        for outcome, one in check["outcomes"].items():
            _ask(found["meant"], f"{name}={outcome}", one, check.get("not_when", ()))
            if "said_by" in one:
                found["said_of" if check.get("beside") else "said"][f"{name}={outcome}"] = one[
                    "said_by"
                ]
    for name, cause in raw["causes"].items():
        if said := (cause.get("telltale") or {}).get("said_by"):
            found["said"][f"{TELLTALE}={name}"] = said
        if cause.get("speaks_of"):
            found["of"][name] = cause["speaks_of"]
    return found


def _ask(found: dict[str, Any], name: str, one: Row, banned: Sequence[str]) -> None:
    needed, banned = one.get("meant_when", ()), [*one.get("not_when", ()), *banned]
    if needed or banned:
        found[name] = [needed, banned]
