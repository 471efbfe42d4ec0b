"""Sentences that tell of progress in numbers: a loss that falls, a score that rises."""

from __future__ import annotations

from medic.match.ease import is_well, tells_set_up
from medic.match.tone import complains, turns
from medic.text.patterns import regex

_NUMBER = r"(\d+(?:\.\d+)?)%?"
_LOSS = r"(?:loss|perplexity|ppl|损失|困惑度)"
_SCORE = (
    r"(?:acc(?:uracy)?|recall(?:@\d+)?|precision|f1|bleu|rouge\w*|scores?|准确率|召回率|得分|分数)"
)
_FALLS = (
    r"(?:fall|fell|drop|decreas|go(?:es)? down|went down|come down|came down|declin|improv|降|下降)"
)
_RISES = r"(?:ris|rose|increas|go(?:es)? up|went up|climb|improv|grow|grew|升|提高|提升|涨|上升)"
# All that may stand beside the numbers of a move that is well: where the score was taken, and what
# says nothing. Any other word may tell that the move is odd: "at each epoch", "with the test set".
_ASIDE = (
    r"(?:[\s,:,，：、]|\b(?:the|our|a|its|also|and|has|have|is|on|of|train(?:ing)?|eval(?:uation)?|"
    r"validation|valid|val|dev|test|held-out|set|split|steadily|smoothly)\b|"
    r"训练|验证|测试|评测|评估|集|上|的|了|到|至|由|也|都|和|与|且|稳步|平稳|逐步)"
)
_FILL = rf"{_ASIDE}{{0,12}}"
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
_REST = regex(rf"(?i)(?:{_ASIDE}|[.;!。；！])*")
_SENTENCE = regex(r"\n|(?<=[.!?;])\s+|[。！？；]")
# Nats. At less, more than nine in ten tokens (exp(-0.1)) are foretold: so well only text is that
# the model has seen, or whose answer it is given.
LEAST_LOSS = 0.1
# Of the first value: a smaller fall is within what losses of two batches differ by.
LEAST_FALL = 0.9


def progresses(sentence: str) -> bool:
    """Whether a sentence tells of nothing but values that move as they should."""
    falls = [[float(n) for n in found.groups() if n] for found in _FALL.finditer(sentence)]
    rises = [[float(n) for n in found.groups() if n] for found in _RISE.finditer(sentence)]
    rest = _RISE.sub("", _FALL.sub("", sentence))
    if not (falls or rises) or not _REST.fullmatch(rest) or turns(sentence) or complains(sentence):
        return False
    return all(LEAST_LOSS <= last <= LEAST_FALL * first for first, last in falls) and all(
        last > first for first, last in rises
    )


def makes_progress(text: str) -> bool:
    """Whether a text tells of a score that rises, and else of nothing but the set-up or what is well.

    A loss that falls is no ease: many who tell of it complain of what the model does.
    """
    parts = [part for part in _SENTENCE.split(text) if part.strip()]
    moving = [part for part in parts if progresses(part)]
    others = [part for part in parts if part not in moving]
    return any(map(_RISE.search, moving)) and all(tells_set_up(o) or is_well(o) for o in others)
