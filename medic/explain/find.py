"""What a name, a code, an error line or a description means: the entry that it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from medic.explain import pages
from medic.index.knowledge import Index
from medic.text.patterns import regex
from medic.text.safetext import columns

GOOD_SCORE = 0.5
LONG_NAME = 8  # letters of a term that stands out in a line
# Log ratio from which a description tells of a cause, and the share of it that leaves doubt.
ALIKE, RIVAL = 7.0, 0.75
# Columns from which words may be a description: to compare one costs three starts of a command.
DESCRIPTION = 24
A_LINE = 40  # columns from which words that a program prints are its line, not a description
CAUSE = 0.8  # what the score of a cause counts beside a symptom's
KIND_NAME = {
    "symptoms": "symptom",
    "causes": "cause",
    "checks": "check",
    "remedies": "remedy",
    "procedures": "procedure",
    "terms": "term",
}
# What stands around the name in a question for its meaning, or for how it is done.
_QUESTION = regex(
    r"(?i)(?:what(?:'s| is| are| does)?|explain|meaning of|how (?:do i|can i|to))\s+(?:an? |the )?(.+?)"
    r"(?:\s+means?)?\s*\?*|(?:怎么|如何|怎样)?\s*(.+?)\s*(?:是什么(?:意思)?|什么意思|是啥|怎么算|指什么)?[?？]*"
)
_ASSIGNED = regex(r"(?:export\s+)?([A-Z][A-Z0-9_]+)(?:=.*)?")


class Match(NamedTuple):
    kind: str
    name: str
    score: float


def find(words: str, index: Index) -> list[Match]:
    """Entries that the words may mean, best first; empty if nothing is near."""
    word = words.strip()
    exact = [Match(KIND_NAME[k], word, 1.0) for k in KIND_NAME if word in index.raw[k]]
    if exact:
        return exact
    by_code = index.by_code(word)
    if by_code is not None:
        return [Match("cause", by_code, 1.0)]
    terms = _term(word, index) or _term(_asked(word), index) or _named_only(word, index)
    if any(index.raw["terms"][t.name]["kind"] not in _PRINTED for t in terms):
        return terms
    written = _written(word.lower(), index) + terms
    if not any(map(str.isalpha, word)):  # a number alone describes nothing
        return written
    if written or columns(word) < A_LINE:
        return written or _near(word, index) or _named(word, index) or _printed(word, index)
    return _printed(word, index) or _near(word, index) or _named(word, index)


def _printed(word: str, index: Index) -> list[Match]:
    """What prints the words as a line: of a bare "Killed" no phrase tells."""
    from medic.match import matcher_of

    shown = matcher_of(index).shown_in(word)
    return [Match(KIND_NAME[kind], name, 1.0) for kind, name in shown]


def printed_among(words: str, matches: Sequence[Match], index: Index) -> tuple[str, ...]:
    """The causes of some matches that print the words: beside their symptom they come first."""
    causes = {m.name for m in matches if m.kind == KIND_NAME["causes"]}
    found = _printed(words.strip(), index) if causes else []
    return tuple(m.name for m in found if m.name in causes)


# Words that a failing line holds: its symptom tells more than the term.
_PRINTED = ("errno", "status", "state")


def _named_only(word: str, index: Index) -> list[Match]:
    """Terms that the words name in a spelling of their own, and nothing besides."""
    from medic.explain.names import named

    return [Match(KIND_NAME["terms"], name, 1.0) for name in named(word, index)]


def _named(word: str, index: Index) -> list[Match]:
    """Terms that a longer line names, such as a status code. The subject of a line, a word of
    training, does not tell what the line means."""
    few = columns(word) < A_LINE
    return [
        Match(KIND_NAME["terms"], name, GOOD_SCORE)
        for name, raw in index.raw["terms"].items()
        if (few or raw["kind"] != "concept")
        and any(len(spelt) >= LONG_NAME and spelt in word for spelt in raw["says"])
    ]


def named_in(words: str, index: Index) -> list[Match]:
    """Terms that a question names among other words, those of most words first. The score is the
    share of the question's words that is the name."""
    from medic.match.words import terms_of

    said = set(terms_of(words))
    most: dict[str, int] = {}
    for name, raw in index.raw["terms"].items():
        spelt = (set(terms_of(text)) for text in (*raw["says"], *raw["title"].values()))
        most[name] = max((len(own) for own in spelt if own <= said), default=0)
    best = sorted((n for n in most if most[n]), key=lambda n: -most[n])
    return [Match(KIND_NAME["terms"], name, GOOD_SCORE * most[name] / len(said)) for name in best]


def _near(word: str, index: Index) -> list[Match]:
    from medic.match import search

    hits = search(word, index, ("symptoms", "causes"))
    found = [Match(KIND_NAME[m.kind], m.name, m.score) for m in hits if m.score >= GOOD_SCORE]
    # Words describe what was seen: a cause comes first only where it is much nearer.
    found.sort(key=lambda m: -m.score * (CAUSE if m.kind == "cause" else 1))
    return found


def _asked(word: str) -> str:
    """The name that a question is about: MFU of "what is MFU?"."""
    found = _QUESTION.fullmatch(word)
    return (found[1] or found[2] or word) if found else word


def _term(word: str, index: Index) -> list[Match]:
    """The term that is spelt so; of ``NAME=value`` the variable."""
    assigned = _ASSIGNED.fullmatch(word)
    bare = assigned[1] if assigned else word
    terms = index.raw["terms"]
    exact = [name for name, raw in terms.items() if bare in raw["says"]]
    loose = {word.casefold(), bare.casefold()}
    named = exact or [
        name for name, raw in terms.items() if any(s.casefold() in loose for s in raw["says"])
    ]
    return [Match(KIND_NAME["terms"], name, 1.0) for name in named]


def _written(words: str, index: Index) -> list[Match]:
    """The symptom that has these very words as its title or as a phrase, if only one has."""
    has = [
        Match(KIND_NAME["symptoms"], name, 1.0)
        for name, raw in index.raw["symptoms"].items()
        if any(words == text.lower() for text in _names(raw))
    ]
    return has if len(has) == 1 else []


def _spoken(words: str, index: Index) -> str:
    """The cause whose own description the words are much more like than any other's, or ""."""
    if columns(words) < DESCRIPTION:
        return ""
    from medic.match import alike

    near = list(alike(words, index).items())[:2]
    if not near or near[0][1] < ALIKE or (near[1:] and near[1][1] > RIVAL * near[0][1]):
        return ""
    return near[0][0]


def _names(raw: Any) -> Iterator[str]:
    yield from raw["title"].values()
    for phrases in raw.get("phrases", {}).values():
        yield from phrases


def entry(
    match: Match,
    index: Index,
    most: int | None = None,
    words: str = "",
    named: Sequence[str] = (),
) -> dict[str, Any]:
    """The entry as a tree of texts; ``most`` bounds how many causes of a symptom it tells.

    ``words``: what was asked; of the causes of a symptom those come first that the diagnosis of
    the words names (``named``), else the one that they speak of.
    """
    if match.kind == "symptom":
        spoken = _spoken(words, index)
        return pages.symptom(match.name, index, most, named or ([spoken] if spoken else []))
    if match.kind == "remedy":
        return {**pages.remedy(match.name, index), "kind": "remedy"}
    page = {
        "cause": pages.cause,
        "check": pages.check,
        "procedure": pages.procedure,
        "term": pages.term,
    }
    return page[match.kind](match.name, index)
