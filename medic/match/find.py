"""Search of the shipped entries by free text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from medic.index.knowledge import Index
from medic.match.documents import OUTCOMES, Document, documents, read, spoken_outcomes
from medic.match.ease import asks_usage, is_well
from medic.match.jumps import jump_of_loss
from medic.match.likeness import Likeness
from medic.match.progress import progresses
from medic.match.same import PASTED, PLAIN_WORDS, Same
from medic.match.sayings import contrary, denied, led_by, sayings_of, told_of
from medic.match.text import WHOLE, Match, TextIndex
from medic.match.tone import complains, tells
from medic.text.patterns import regex

# A sentence must be at least this near to a symptom to count as a complaint; others within the
# margin may be meant as well. Measured over tests/descriptions.txt.
COMPLAINT_SCORE, COMPLAINT_MARGIN = 0.55, 0.05
# Of a phrase that answers a check: what is left out of it is most often what it is about. Measured over
# the texts of tests/cases.
ANSWERED = 0.75
# Of a phrase that a long report complains with.
REPORTED = 0.8
CLEAR = 0.65  # of a clause that tells of a further symptom
BRIEF = 200  # characters of a text whose clauses are read one by one
_SENTENCE = regex(r"\n|(?<=[.!?;])\s|[。！？；]")
_CLAUSE = regex(r",\s|[，、,]|\band\b|\bbut\b|但是?|而且|并且|同时")
ALSO = 4
MANY = 60


def search(
    query: str, index: Index, kinds: Collection[str] = ("symptoms", "causes"), limit: int = 10
) -> list[Match]:
    """(kind, name, score) of the entries that a text may mean, best first; empty if none is near.

    ``kinds`` are folders of the knowledge. A signature that the text shows verbatim counts.
    """
    return _text_index(Same(index), tuple(kinds)).search(query, limit=limit)


def complaints(text: str, index: Index) -> list[tuple[Match, tuple[str, ...]]]:
    """Symptoms that a text reports: each sentence's nearest, and others that are as near."""
    said = _said(text)
    # A few words say half of a phrase; of a long report half a phrase is most often chance.
    covered = 0.0 if len(said) <= BRIEF else REPORTED
    symptoms = _text_index(Same(index), ("symptoms",), covered)
    groups = _groups(symptoms.search(said, limit=MANY))
    for clause in _clauses(said) if len(said) <= BRIEF else ():
        own = _groups(symptoms.search(clause, limit=MANY))
        whole = next((s for s in _SENTENCE.split(said) if clause in s), clause)
        own = [g for g in own if not _taken_back(g[0], said, whole, index)]
        known = {match.name for group in groups for match in group}
        groups += [g for g in own if g[0].score >= CLEAR and known.isdisjoint(m.name for m in g)]
    found = [(group[0], tuple(m.name for m in group[1:ALSO])) for group in groups]
    for name, quote in told_of(text, index).items():
        if name in index.raw["symptoms"] and not any(match.name == name for match, _ in found):
            _insert(name, quote, found, index)
    jump = jump_of_loss(said)
    return _of_jump(jump, found) if jump and not _is_quiet(jump) else found


def _insert(
    name: str, quote: str, found: list[tuple[Match, tuple[str, ...]]], index: Index
) -> None:
    """Puts a symptom that is told in its own words first; one of its family that was read of the same
    sentence is what that may mean as well, and no finding of its own."""
    family = index.raw["symptoms"][name]["family"]
    near = [
        at
        for at, (match, _) in enumerate(found)
        if quote in match.quote and index.raw["symptoms"][match.name]["family"] == family
    ]
    also = [other for at in near for other in (found[at][0].name, *found[at][1])]
    for at in reversed(near):
        del found[at]
    found.insert(0, (Match("symptoms", name, WHOLE, quote), tuple(n for n in also if n != name)))


def _taken_back(match: Match, text: str, sentence: str, index: Index) -> bool:
    """Whether a clause tells that something failed, and the rest of the text that it was not so; or
    its whole sentence that it is something else: "the loss falls, only slower and slower"."""
    bare = match.name in index.symptoms and index.symptoms[match.name].bare
    return contrary(match.name, text if bare else sentence, index)


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
    sure: dict[str, bool] = {}
    found = _outcome_index(Same(index)).search(_said(text), limit=MANY)
    for check in dict.fromkeys(m.name.partition("=")[0] for m in found):
        own = [m for m in found if m.name.startswith(f"{check}=")]
        for group in _groups(own):
            if len(group) == 1:  # a sentence that may mean several answers answers nothing
                said.setdefault(check, (group[0].name.partition("=")[2], group[0].quote))
                sure.setdefault(check, group[0].score >= WHOLE)
    for name, quote in told_of(text, index).items():
        check, _, outcome = name.partition("=")
        if outcome and not sure.get(check):  # what alone tells of it, before what resembles another
            said[check], sure[check] = (outcome, quote), True
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


# Said to medic, and of nothing: "stop" tells of no run that stopped.
_ORDERS = regex(
    r"(?i)\W*(?:please |ok,? |no,? )*(?:stop|halt|quit|exit|cancel|abort|pause|wait|end|kill|hang on|hold on)"
    r"(?: (?:it|that|this|now|here|please|a (?:moment|minute|second)))*\W*|"
    r"\W*(?:请|先|快)*(?:停|停下|停止|停一下|暂停|退出|取消|中断|结束|等等|等一下|别说了)(?:吧|来)?\W*"
)


def _is_quiet(said: str) -> bool:
    """Whether a sentence complains of nothing, whatever it names."""
    return (
        _ORDERS.fullmatch(said) is not None or is_well(said) or asks_usage(said) or progresses(said)
    )


@lru_cache(maxsize=8)
def _text_index(same: Same, kinds: tuple[str, ...], covered: float = 0.0) -> TextIndex:
    def shown(text: str) -> list[tuple[str, str]]:
        if not PASTED.search(text) and len(text) < PLAIN_WORDS:
            return []
        from medic.match.matchers import matcher_of

        return matcher_of(same.index).shown_in(text)

    found = chain.from_iterable(_documents(same.index, kind) for kind in kinds)
    return TextIndex(found, shown, _contrary(same.index), covered)


@lru_cache(maxsize=2)
def _outcome_index(same: Same) -> TextIndex:
    found = _documents(same.index, OUTCOMES)
    return TextIndex(found, contrary=_contrary(same.index), covered=ANSWERED)


def _contrary(index: Index) -> Callable[[str, str], bool]:
    return lambda name, sentence: contrary(name, sentence, index)


def _documents(index: Index, kind: str) -> Iterator[Document]:
    rows = index.raw.get("phrases")
    if rows is not None:
        return read(kind, rows[kind])
    return spoken_outcomes(index.raw) if kind == OUTCOMES else documents(index.raw, (kind,))


# What is said to be well, and how the data came about: it speaks for nothing.
ASIDE = ("cards-are-well", "collects-data")


def alike(text: str, index: Index) -> dict[str, float]:
    """Log ratios of the causes whose own description a text is most like, best first."""
    text = sayings_of(index).without([name for name in ASIDE if name in index.sayings], text)
    found = _likeness(Same(index)).ratios(_NO_CLIPPING.sub(_CLIPPING_OFF, text))
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
def _likeness(same: Same) -> Likeness:
    return Likeness(list(same.index.raw["causes"]), same.index.words)
