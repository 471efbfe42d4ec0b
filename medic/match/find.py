"""Search of the shipped entries by free text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from medic.index.knowledge import Index
from medic.match.documents import OUTCOMES, Document, documents, read, spoken_outcomes
from medic.match.ease import asks_usage, is_well
from medic.match.jumps import jump_of_loss
from medic.match.likeness import Likeness
from medic.match.paste import Fragment, is_sentence
from medic.match.progress import progresses
from medic.match.sayings import contrary, denied, led_by, sayings_of, told_of
from medic.match.text import WHOLE, Match, TextIndex
from medic.match.tone import MENDED, complains, tells
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.facts import Hit

# Signatures are of whole log lines: a few plain words are matched by their phrases alone, which
# spares the start of a command the compiling of all patterns.
PLAIN_WORDS = 60
# A sentence must be at least this near to a symptom to count as a complaint; others within the
# margin may be meant as well. Measured over tests/descriptions.txt.
COMPLAINT_SCORE, COMPLAINT_MARGIN = 0.55, 0.05
CLEAR = 0.65  # of a clause that tells of a further symptom
BRIEF = 200  # characters of a text whose clauses are read one by one
_SENTENCE = regex(r"\n|(?<=[.!?;])\s|[。！？；]")
_CLAUSE = regex(r",\s|[，、,]|\band\b|\bbut\b|但是?|而且|并且|同时")
ALSO = 4
MANY = 60
_PASTED = regex(r"[\n:(=\[\]]|\d")


def search(
    query: str, index: Index, kinds: Collection[str] = ("symptoms", "causes"), limit: int = 10
) -> list[Match]:
    """(kind, name, score) of the entries that a text may mean, best first; empty if none is near.

    ``kinds`` are folders of the knowledge. A signature that the text shows verbatim counts.
    """
    return _text_index(_Same(index), tuple(kinds)).search(query, limit=limit)


def complaints(text: str, index: Index) -> list[tuple[Match, tuple[str, ...]]]:
    """Symptoms that a text reports: each sentence's nearest, and others that are as near."""
    said = _said(text)
    groups = _groups(search(said, index, ("symptoms",), limit=MANY))
    for clause in _clauses(said) if len(said) <= BRIEF else ():
        own = _groups(search(clause, index, ("symptoms",), limit=MANY))
        known = {match.name for group in groups for match in group}
        groups += [g for g in own if g[0].score >= CLEAR and known.isdisjoint(m.name for m in g)]
    found = [(group[0], tuple(m.name for m in group[1:ALSO])) for group in groups]
    for name, quote in told_of(text, index).items():
        if name in index.raw["symptoms"] and not any(match.name == name for match, _ in found):
            found.insert(0, (Match("symptoms", name, WHOLE, quote), ()))
    jump = jump_of_loss(said)
    return _of_jump(jump, found) if jump and not _is_quiet(jump) else found


# What a loss that jumped and stayed there is told as, and is not.
_STAYS = frozenset(["loss-plateau", "training-hangs"])
_JUMP, _AWAY = "loss-spike", "loss-diverges"


def _of_jump(
    jump: str, found: list[tuple[Match, tuple[str, ...]]]
) -> list[tuple[Match, tuple[str, ...]]]:
    """Complaints of a text that tells of a jump: this one, and not that the loss stays up."""
    kept = [
        (match, tuple(name for name in also if name not in _STAYS))
        for match, also in found
        if match.name not in _STAYS
    ]
    if not any(match.name in (_JUMP, _AWAY) for match, _ in kept):
        kept.insert(0, (Match("symptoms", _JUMP, WHOLE, jump), (_AWAY,)))
    return kept


def _clauses(text: str) -> list[str]:
    """Parts of sentences of which several complain: each may tell of another symptom."""
    sentences = (_CLAUSE.split(s) for s in _SENTENCE.split(text) if not _is_quiet(s))
    telling = [[part.strip() for part in parts if complains(part)] for parts in sentences]
    return [part for parts in telling if parts for part in parts if part != text.strip()]


def answers(text: str, index: Index) -> list[tuple[str, str, str]]:
    """(check, outcome, sentence) of what a text says of a check, one outcome a check."""
    said: dict[str, tuple[str, str]] = {}
    found = _outcome_index(_Same(index)).search(_said(text), limit=MANY)
    for check in dict.fromkeys(m.name.partition("=")[0] for m in found):
        own = [m for m in found if m.name.startswith(f"{check}=")]
        for group in _groups(own):
            if len(group) == 1:  # a sentence that may mean several answers answers nothing
                said.setdefault(check, (group[0].name.partition("=")[2], group[0].quote))
    for name, quote in told_of(text, index).items():
        check, _, outcome = name.partition("=")
        if outcome:
            said.setdefault(check, (outcome, quote))
    if jump_of_loss(text):
        said.pop("plateau-level", None)
    return [(check, *rest) for check, rest in said.items()]


# Not "no gradient": it is the clipping that is missing.
_NO_CLIPPING = regex(
    r"(?i)\b(?:no|without)(?: any)? (?:grad\w*[ -](?:norm[ -])?)?clip\w*|"
    r"(?:没有?|未)(?:做|开|加|用|设置?)?(?:梯度)?(?:裁剪|截断)"
)
_CLIPPING_OFF = "clipping off"
# A call, and a list of settings: both are made of words, and say nothing.
_CODE = regex(r"^\s*(?:[\w.\[\]\"']+\s*=\s*)?[\w.]+\((?=[^)]*[=,\"'])[^)]*\)\s*$")
_SETTING = regex(r"[\w-]+(?: [\w-]+){0,2} ?[=:]? ?[\d.]+[\w%]*")
_NEXT = regex(r"[,;] ?")
MAX_SETTING = 80  # characters; the pattern is not linear


def _said(text: str) -> str:
    """The text without its lines of code and settings."""
    lines = _NO_CLIPPING.sub(_CLIPPING_OFF, text).split("\n")
    return "\n".join(n for n in lines if not _CODE.match(n) and not _is_settings(n.strip()))


def _is_settings(line: str) -> bool:
    """At least two settings, each a few words and a number."""
    found = _NEXT.split(line.removesuffix("."))
    if not found[-1]:
        found.pop()
    return len(found) > 1 and all(
        len(one) <= MAX_SETTING and _SETTING.fullmatch(one) and not complains(one) for one in found
    )


def _groups(found: list[Match]) -> list[list[Match]]:
    """By sentence: its nearest entry, if it is near enough, and those about as near."""
    groups: dict[str, list[Match]] = {}
    for match in found:
        said = match.quote
        if match.score >= (COMPLAINT_SCORE if tells(said) else WHOLE) and not _is_quiet(said):
            groups.setdefault(said, []).append(match)
    return [
        [m for m in group if m.score >= group[0].score - COMPLAINT_MARGIN]
        for group in groups.values()
    ]


def _is_quiet(said: str) -> bool:
    """Whether a sentence complains of nothing, whatever it names."""
    return is_well(said) or asks_usage(said) or progresses(said)


class _Same:
    """An index as a key: its entries never change, and it cannot be hashed by value."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def __hash__(self) -> int:
        return id(self.index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.index is self.index


@lru_cache(maxsize=8)
def _text_index(same: _Same, kinds: tuple[str, ...]) -> TextIndex:
    def shown(text: str) -> list[tuple[str, str]]:
        if not _PASTED.search(text) and len(text) < PLAIN_WORDS:
            return []
        from medic.match.matchers import matcher_of

        return matcher_of(same.index).shown_in(text)

    found = chain.from_iterable(_documents(same.index, kind) for kind in kinds)
    return TextIndex(found, shown, _contrary(same.index))


@lru_cache(maxsize=2)
def _outcome_index(same: _Same) -> TextIndex:
    return TextIndex(_documents(same.index, OUTCOMES), contrary=_contrary(same.index))


def _contrary(index: Index) -> Callable[[str, str], bool]:
    return lambda name, sentence: contrary(name, sentence, index)


def _documents(index: Index, kind: str) -> Iterator[Document]:
    rows = index.raw.get("phrases")
    if rows is not None:
        return read(kind, rows[kind])
    return spoken_outcomes(index.raw) if kind == OUTCOMES else documents(index.raw, (kind,))


LEAD = 3  # words that may stand before a printed message: a time, a level, a name
# Who writes of a message, and does not print it.
_SPEAKER = regex(
    r"\b(?:I|I'm|I've|[Ww]e|[Mm]y|[Oo]ur|[Gg]et|[Gg]ets|[Gg]ot|[Gg]etting|[Ss]ays|[Ss]aying|[Tt]hrows|gives|"
    r"reports?|[Ss]ometimes|[Aa]nyone|[Pp]lease)\b|[\u3400-\u9fff\u3001\u3002\uff0c\uff1a\uff1b\uff1f]"
)


def printed(text: str, index: Index) -> frozenset[int]:
    """Numbers of the lines, from 1, that are a known message: no words of a person about it."""
    return _printed(_Same(index), text)


@lru_cache(maxsize=4)
def _printed(same: _Same, text: str) -> frozenset[int]:
    hits = [h for h in quoted(text, same.index) if h.symptom and _is_print(h)]
    # Of a signature the scan keeps some matches; a line is what its repetitions are.
    shown = {h.source.text.strip() for h in hits}
    again = (n for n, line in enumerate(text.split("\n"), 1) if shown and line.strip() in shown)
    return frozenset([*(h.source.line for h in hits), *again])


def _is_print(hit: Hit) -> bool:
    line = hit.source.text
    lead = line[: hit.column - 1]
    if _SPEAKER.search(line) or MENDED.search(lead) or _ELSEWHERE.search(lead):
        return False
    return len(lead.split()) <= LEAD or ":" in lead or not is_sentence(line)


NEAR_BY = 24  # characters before a message that say whose it is
# An exception with its message inside a sentence, and what says that it is not this failure.
_RAISED = regex(r"\b(?:\w{1,40}\.){0,6}\w{0,60}(?:Error|Exception)(?:\(\d{1,3}\))?: \S")
_ELSEWHERE = regex(
    r"(?i)\b(?:no (?:longer|more)|works? without|instead of|unlike|used to|previously|earlier|"
    r"similar to|if|would|might|could|rather than)\b|\u4e0d\u518d|\u6ca1\u6709|\u4e4b\u524d|\u4ee5\u524d|\u5982\u679c"
)


def raised(fragments: Iterable[Fragment], index: Index) -> Iterator[Fragment]:
    """Known exceptions that prose quotes with their class and message, as log lines.

    So people write where they paste no log: what the program printed stands there word by word.
    """
    for kind, words, first in fragments:
        lines = words.split("\n")
        found: dict[int, str] = {}
        for hit in quoted(words, index) if kind == "prose" else ():
            line = lines[hit.source.line - 1]
            starts = (m.start() for m in _RAISED.finditer(line))
            begin = max((n for n in starts if len(line[:n].encode()) <= hit.column), default=0)
            own = line[max(begin - NEAR_BY, 0) : begin]
            if hit.symptom and own and not (_ELSEWHERE.search(own) or MENDED.search(line)):
                found.setdefault(hit.source.line, line[begin:])
        yield from (Fragment("log", text, first + n - 1) for n, text in sorted(found.items()))


def quoted(text: str, index: Index) -> list[Hit]:
    """Signatures that words hold verbatim, in the order of the text."""
    if not _PASTED.search(text) and len(text) < PLAIN_WORDS:
        return []
    from medic.match.matchers import matcher_of

    return [h for h in matcher_of(index).scan_text(text).hits if not h.benign]


# What is said to be well, and how the data came about: it speaks for nothing.
ASIDE = ("cards-are-well", "collects-data")


def alike(text: str, index: Index) -> dict[str, float]:
    """Log ratios of the causes whose own description a text is most like, best first."""
    text = sayings_of(index).without([name for name in ASIDE if name in index.sayings], text)
    found = _likeness(_Same(index)).ratios(_NO_CLIPPING.sub(_CLIPPING_OFF, text))
    if not found:
        return found
    absent = denied(text, index)
    causes = index.raw["causes"]
    kept = {n: r for n, r in found.items() if not _rests_on(causes[n]["shows"], absent)}
    said = told_of(text, index).keys()
    if told := said & index.raw["symptoms"].keys():  # likeness orders what this leaves open
        return {n: r for n, r in kept.items() if told & _shown(causes[n])}
    return led_by(said, kept, causes)


def _shown(cause: Mapping[str, Sequence[Mapping[str, str]]]) -> set[str]:
    return {one["symptom"] for one in cause["shows"]}


def _rests_on(shows: Sequence[Mapping[str, str]], absent: frozenset[str]) -> bool:
    """Whether a cause shows first, or always, what is not so."""
    return any(
        one["symptom"] in absent and (one is shows[0] or one["level"] == "always") for one in shows
    )


@lru_cache(maxsize=2)
def _likeness(same: _Same) -> Likeness:
    return Likeness(list(same.index.raw["causes"]), same.index.words)
