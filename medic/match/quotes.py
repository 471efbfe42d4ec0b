"""Messages of programs inside a person's text: printed there, or quoted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from medic.index.knowledge import Index
from medic.match.paste import Fragment, is_joined, is_sentence
from medic.match.same import PASTED, PLAIN_WORDS, Same
from medic.match.tone import MENDED
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.facts import Hit

LEAD = 3  # words that may stand before a printed message: a time, a level, a name
# Who writes of a message, and does not print it.
_SPEAKER = regex(
    r"\b(?:I|I'm|I've|[Ww]e|[Mm]y|[Oo]ur|[Gg]et|[Gg]ets|[Gg]ot|[Gg]etting|[Ss]ays|[Ss]aying|[Tt]hrows|gives|"
    r"reports?|[Ss]ometimes|[Aa]nyone|[Pp]lease)\b|[\u3400-\u9fff\u3001\u3002\uff0c\uff1a\uff1b\uff1f]"
)


def printed(text: str, index: Index) -> frozenset[int]:
    """Numbers of the lines, from 1, that are a known message: no words of a person about it."""
    return _printed(Same(index), text)


@lru_cache(maxsize=4)
def _printed(same: Same, text: str) -> frozenset[int]:
    hits = [h for h in quoted(text, same.index) if h.symptom and _is_print(h)]
    if _TALK.fullmatch(text.strip()) and _SMALL.search(text):
        hits = [h for h in hits if not h.goes_on]
    # Of a signature the scan keeps some matches; a line is what its repetitions are.
    shown = {h.source.text.strip() for h in hits}
    again = (n for n, line in enumerate(text.split("\n"), 1) if shown and line.strip() in shown)
    return frozenset([*(h.source.line for h in hits), *again])


def _is_print(hit: Hit) -> bool:
    line = hit.source.text
    lead = line[: hit.column - 1]
    if _SPEAKER.search(line) or MENDED.search(lead) or _ELSEWHERE.search(lead):
        return False
    if hit.goes_on and _is_told(line):
        return False
    return len(lead.split()) <= LEAD or ":" in lead or not is_sentence(line)


# All of a text, in plain words without a capital: what ends no run is told in the words that a
# program prints ("the loss is nan after resume").
_TALK = regex(r"[a-z][a-z']*(?:,? [a-z][a-z']*){2,15}[.?!]?")
_SMALL = regex(
    r"\b(?:is|are|was|were|has|have|becomes?|became|turns?|turned|goes|went|gets?|the|my|our|after|when|since|but|"
    r"and|at|in|on|with|again|always|suddenly)\b"
)

TOLD = 16  # words
# Signs that programs print, and few people write in a sentence.
_SIGNS = regex(r"[\[\](){}<>=|/`'\"#:_*]")


def _is_told(line: str) -> bool:
    """Whether a line is a long sentence in plain words with several that only join others: so people
    tell of what their log shows, even where they begin with its words."""
    words = line.split()
    plain = sum(not _SIGNS.search(word) for word in words)
    return len(words) >= TOLD and plain >= len(words) - 1 and is_joined(line)


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
    if not PASTED.search(text) and len(text) < PLAIN_WORDS:
        return []
    from medic.match.matchers import matcher_of

    return [h for h in matcher_of(index).scan_text(text).hits if not h.benign]
