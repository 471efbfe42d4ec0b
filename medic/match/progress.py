"""Sentences that tell of progress in numbers: a loss that falls, a score that rises."""

from __future__ import annotations

from medic.match.tone import complains, turns
from medic.patterns import regex

_NUMBER = r"(\d+(?:\.\d+)?)%?"
_LOSS = r"(?:loss|perplexity|ppl|损失|困惑度)"
_SCORE = (
    r"(?:acc(?:uracy)?|recall(?:@\d+)?|precision|f1|bleu|rouge\w*|scores?|准确率|召回率|得分|分数)"
)
_FALLS = (
    r"(?:fall|fell|drop|decreas|go(?:es)? down|went down|come down|came down|declin|improv|降|下降)"
)
_RISES = r"(?:ris|rose|increas|go(?:es)? up|went up|climb|improv|grow|grew|升|提高|提升|涨|上升)"
_FILL = r"[^.;\n\d。；]{0,24}"
_ARROW = rf"[ :=：]{{0,3}}{_NUMBER}\s?(?:->|→)\s?{_NUMBER}"
_FALL = regex(
    rf"(?i){_LOSS}{_FILL}{_FALLS}\w*{_FILL}\bfrom {_NUMBER} to {_NUMBER}|"
    rf"{_LOSS}{_FILL}从\s*{_NUMBER}{_FILL}降{_FILL}{_NUMBER}|"
    rf"\b(?:{_LOSS}|ce|kl){_ARROW}"
)
_RISE = regex(
    rf"(?i){_SCORE}{_FILL}{_RISES}\w*{_FILL}\bfrom {_NUMBER} to {_NUMBER}|"
    rf"{_SCORE}{_FILL}从\s*{_NUMBER}{_FILL}(?:升|提高|提升|涨){_FILL}{_NUMBER}|"
    rf"{_SCORE}{_ARROW}"
)
# A fall at once, or at each epoch, is a trouble of its own; so is one of a few hundredths.
_ODD = regex(
    r"(?i)\b(?:sudden\w*|abrupt\w*|each|every|epochs?|boundar\w+|then|\d{1,2} steps|within|first|already|too|"
    r"slow\w*|barely|hardly|expected|suspicious\w*|resum\w*|restart\w*|after|when)\b|"
    r"突然|每个|每轮|之后|然后|恢复|续训|几步|太|很快|一下|才"
)
_MOVE = regex(
    rf"(?i)\bfrom {_NUMBER} to {_NUMBER}|从\s*{_NUMBER}{_FILL}(?:降|升|提高|提升|涨|到){_FILL}{_NUMBER}|"
    rf"{_ARROW}"
)
_SENTENCE = regex(r"\n|(?<=[.!?;])\s+|[。！？；]")
LEAST_LOSS = 0.1
LEAST_FALL = 0.9  # of the first value


def progresses(sentence: str) -> bool:
    """Whether all that moves in a sentence moves as it should, and nothing is complained of."""
    falls = [[float(n) for n in found.groups() if n] for found in _FALL.finditer(sentence)]
    rises = [[float(n) for n in found.groups() if n] for found in _RISE.finditer(sentence)]
    moves = sum(1 for _ in _MOVE.finditer(sentence))
    if (
        not (falls or rises)
        or moves > len(falls) + len(rises)
        or _ODD.search(sentence)
        or turns(sentence)
        or complains(sentence)
    ):
        return False
    return all(LEAST_LOSS <= last <= LEAST_FALL * first for first, last in falls) and all(
        last > first for first, last in rises
    )


def makes_progress(text: str) -> bool:
    """Whether a text tells of a score that rises, and complains in no sentence.

    A loss that falls is no ease: many who tell of it complain of what the model does.
    """
    parts = [part for part in _SENTENCE.split(text) if part.strip()]
    risen = any(_RISE.search(part) and progresses(part) for part in parts)
    return risen and not any(map(complains, parts))
