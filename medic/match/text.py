"""Free text to entries: how much of a phrase a sentence says, and how much of it the phrase.

Scores are absolute, from 0 to 1, so that a text about something else is near nothing:
score = covered^1.5 x (LEAST + (1 - LEAST) x said), where ``covered`` is the share of the phrase's
weight that the sentence has and ``said`` the share of the sentence's weight that the phrase and
its entry have. A term weighs what its rarity among the entries tells (inverse document
frequency, as BM25 has it). + 0.5 for a signature that matches, + 2 for a name or code.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from medic.match.documents import LETTERS, Document
from medic.match.tone import TROUBLE, says
from medic.match.turns import said_in
from medic.match.words import normal, terms_of
from medic.text.patterns import regex

SIGNATURE, EXACT = 0.5, 2.0
QUERY_LIMIT = 4000
SENTENCES = 40  # of a long text
WINDOW, STRIDE = 12, 4  # terms of a long sentence that are read together
NEAR = 0.46  # a lower score is chance
# A phrase of one term is found in many sentences, of three in few: by its number of terms, the
# share of the score that needs nothing else of the sentence.
LEAST = (0.15, 0.4, 0.55, 0.65)
VAGUE = frozenset(["error", "ineffective", "worse", "crash", "wrong", "missing"])  # alone
ALONE = 0.5  # at least, of a phrase that has a word for trouble
TOPIC = 8.0  # rarity that two unusual words have together
WHOLE = 0.9  # the sentence is the phrase, and no more
COVERED = 1.5  # half a phrase is less than half of what it says
# Unlike other words, what a phrase is about cannot be left out.
SUBJECTS = frozenset(
    [
        "loss",
        "lossscale",
        "learningrate",
        "gradient",
        "gpumemory",
        "hostmemory",
        "sharedmemory",
        "disk",
        "port",
        "checkpoint",
        "nccl",
        "dataloader",
        "worldsize",
        "batchsize",
        "collective",
        "rendezvous",
        "resume",
        "pack",
        "merg",
    ]
)
ABOUT_ELSE = 0.6
A_WORD = 0.5  # a single common word
LONG = 7  # letters of a word
SIDE = 2  # terms apart, at most, that are side by side
UNKNOWN = 0.5  # weight of a word that no entry has, as a share of the largest
_SENTENCE_END = regex(r"\n|(?<=[.!?;])\s|[\u3002\uff01\uff1f\uff1b]")
_CLAUSE_END = regex(r",\s|(?<=[\u3400-\u9fff]),|,(?=[\u3400-\u9fff])|[\uff0c:\uff1a\u3001]|\s-\s")
_NUMBER = regex(r"!?-?[\d.]+")


class Match(NamedTuple):
    """``quote`` is the sentence of the text that is nearest."""

    kind: str
    name: str
    score: float
    quote: str = ""


class TextIndex:
    """Search over documents. ``signatures`` gives (kind, name) of the entries that a text shows verbatim,
    ``contrary`` tells whether a sentence near to an entry says something else, ``covered`` is the least
    share of a phrase that a sentence must have."""

    def __init__(
        self,
        entries: Iterable[Document],
        signatures: Callable[[str], Sequence[tuple[str, str]]] | None = None,
        contrary: Callable[[str, str], bool] | None = None,
        covered: float = 0.0,
    ) -> None:
        self._documents = tuple(entries)
        self._signatures = signatures
        self._contrary = contrary
        self._strict = covered > 0
        self._least_covered = max(covered, NEAR ** (1 / COVERED))
        self._phrases: list[tuple[int, frozenset[str]]] = []  # (row of the document, terms)
        self._turns: list[frozenset[str]] = []  # of the phrase of that number
        self._terms: list[frozenset[str]] = []
        for row, one in enumerate(self._documents):
            self._phrases += [(row, phrase) for phrase in one.phrases]
            self._turns += one.turns
            self._terms.append(frozenset().union(*one.phrases))
        self._holders: dict[str, list[int]] = defaultdict(list)  # term: numbers of phrases
        for number, (_, phrase) in enumerate(self._phrases):
            for term in phrase:
                self._holders[term].append(number)
        self._weights = self._rarity()
        self._unknown = UNKNOWN * max(self._weights.values(), default=1.0)
        self._needed: dict[int, float] = {}  # by number of the phrase, of those that were asked

    def _rarity(self) -> dict[str, float]:
        often: dict[str, int] = defaultdict(int)
        for terms in self._terms:
            for term in terms:
                often[term] += 1
        size = len(self._documents)
        return {t: math.log(1 + (size - n + 0.5) / (n + 0.5)) for t, n in often.items()}

    def search(self, query: str, kinds: Collection[str] = (), limit: int = 10) -> list[Match]:
        """The best entries for a text, best first; empty if nothing is near.

        A name or code given exactly comes first. Each sentence is compared on its own.
        """
        best: dict[int, tuple[float, str]] = {}
        for sentence in _sentences(query[:QUERY_LIMIT]):
            for row, score in self._nearness(sentence).items():
                name = self._documents[row].name
                if score <= best.get(row, (NEAR, ""))[0]:
                    continue
                if self._contrary is None or not self._contrary(name, sentence):
                    best[row] = score, sentence
        shown = self._shown(query)
        word = query.strip().lower()
        found: list[Match] = []
        for row, one in enumerate(self._documents):
            if kinds and one.kind not in kinds:
                continue
            score, quote = best.get(row, (0.0, ""))
            if line := shown.get((one.kind, one.name)):
                score, quote = score + SIGNATURE, quote or line
            if word in (one.name, one.code.lower() or one.name):
                score += EXACT
            if score:
                found.append(Match(one.kind, one.name, round(score, 4), quote))
        return sorted(found, key=lambda m: (-m.score, m.name))[:limit]

    def _nearness(self, sentence: str) -> dict[int, float]:
        """Score of the nearest phrase of each document that shares a term with the sentence."""
        scores: dict[int, float] = {}
        sentence = self._corrected(sentence)
        said_turns = said_in(sentence)
        for terms in _windows(sentence):
            said = frozenset(t for t in terms if t in self._weights or not _NUMBER.fullmatch(t))
            if not said:
                continue
            whole = self._weight(t for t in said if not _NUMBER.fullmatch(t))
            for number in self._covered(said):
                row, phrase = self._phrases[number]
                score = self._score(said, whole, phrase, self._terms[row])
                if score <= scores.get(row, NEAR) or not said_turns(self._turns[number]):
                    continue
                if not self._strict or _beside(phrase, terms):
                    scores[row] = score
        return scores

    def _covered(self, said: frozenset[str]) -> list[int]:
        """Phrases of which enough is said to reach a score that counts."""
        common: dict[int, float] = defaultdict(float)
        for term in said:
            weight = self._weights.get(term, 0.0)
            for number in self._holders.get(term, ()):
                common[number] += weight
        return [n for n, weight in common.items() if weight >= self._least(n)]

    def _least(self, number: int) -> float:
        """What must be said of a phrase: few of all have a term with a sentence in common."""
        if number not in self._needed:
            self._needed[number] = self._least_covered * self._weight(self._phrases[number][1])
        return self._needed[number]

    def _score(
        self, said: frozenset[str], whole: float, phrase: frozenset[str], entry: frozenset[str]
    ) -> float:
        common, full = self._weight(said & phrase), self._weight(phrase)
        covered = common / full
        # A scrap of two words is no better said for being short.
        share = min(1.0, (common + self._weight(said & entry)) / (2 * max(whole, full)))
        own = says(phrase)
        least = LEAST[min(len(phrase), len(LEAST)) - 1]
        if own & TROUBLE and not (len(phrase) == 1 and phrase <= VAGUE):
            least = max(least, ALONE)
        score: float = covered**COVERED * (least + (1 - least) * share)
        # Words that say nothing of their subject mean an entry only where they are rare.
        telling = frozenset(t for t in own if t in TROUBLE or t.startswith("!")) or own
        unsaid = not telling & said if own else full < TOPIC
        if score >= WHOLE and (own or len(phrase) > 1):
            return score
        if unsaid and len(phrase) == 1:
            return score * A_WORD
        return score * ABOUT_ELSE if unsaid or (phrase & SUBJECTS) - said else score

    def _weight(self, terms: Iterable[str]) -> float:
        return sum(self._weights.get(term, self._unknown) for term in terms)

    @cached_property
    def _spelt(self) -> Mapping[str, Mapping[str, None]]:
        """Words of the entries in order, by their first letter."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for word in sorted({word for one in self._documents for word in one.words}):
            found[word[0]][word] = None
        return dict(found)

    def _corrected(self, sentence: str) -> str:
        """Words that no entry has, one slip from a word that one has, are written as that."""

        def correct(found: re.Match[str]) -> str:
            word = found.group()
            spelt = self._spelt.get(word[0], {})
            if word in spelt or (set(terms_of(word)) <= self._weights.keys()):
                return word
            return next((known for known in spelt if _one_slip(word, known)), word)

        return LETTERS.sub(correct, normal(sentence))

    def _shown(self, query: str) -> dict[tuple[str, str], str]:
        """Entries whose signature a line shows. Words alone match none and are not tested."""
        shown: dict[tuple[str, str], str] = {}
        for line in query.splitlines() if self._signatures else ():
            if re.search(r"\d|[:=(\[]|\w{3}Error", line) and self._signatures:
                for entry in self._signatures(line):
                    shown.setdefault(entry, line.strip())
        return shown


def _beside(phrase: frozenset[str], terms: Sequence[str]) -> bool:
    """Whether two words of which one is said of anything ("dataset error") stand side by side."""
    if len(phrase) != 2 or not phrase & VAGUE:
        return True
    at = [place for place, term in enumerate(terms) if term in phrase]
    return any(b - a <= SIDE for a, b in pairwise(at) if terms[a] != terms[b])


def _one_slip(word: str, known: str) -> bool:
    """One letter more or less, or two that changed places; of a long word one letter that is another:
    of short ones that is mostly another word, as "stack" and "leads" are of "stuck" and "leaks"."""
    if word[0] != known[0] or abs(len(word) - len(known)) > 1:
        return False
    start = 0
    while start < min(len(word), len(known)) and word[start] == known[start]:
        start += 1
    a, b = word[start:], known[start:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    if len(a) == len(b) == 1:
        return len(word) >= LONG
    return (len(a) <= 1 and len(b) <= 1) or (len(a) == len(b) == 2 and a == b[::-1])


_NAME = regex(r"[(\[`'\"]*[a-z0-9]+(?:[_.-][a-z0-9]+)+[)\]`'\"]*")


def _sentences(text: str) -> list[str]:
    parts = [p.strip() for p in _SENTENCE_END.split(text)]
    return [p for p in parts if p][:SENTENCES]


def _windows(sentence: str) -> Iterator[Sequence[str]]:
    """Terms of the sentence, of a long one of its parts, and of its clauses."""
    terms = terms_of(sentence)
    for start in range(0, max(len(terms) - WINDOW + STRIDE, 1), STRIDE):
        if terms:
            yield terms[start : start + WINDOW]
    clauses = _CLAUSE_END.split(sentence)
    if len(clauses) > 1:
        # The lone name of an option says nothing of it.
        yield from filter(None, (terms_of(c) for c in clauses if not _NAME.fullmatch(c.strip())))
