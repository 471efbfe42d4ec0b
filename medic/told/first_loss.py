"""Whether a first loss that a person names is that of weights that know nothing: ln(vocabulary)."""

from __future__ import annotations

import math
import re

from medic.i18n import Text
from medic.text.patterns import regex

NEAR = 0.7  # nats around ln(vocabulary): the spread that an initialisation of logits usually adds
_LOSS = regex(
    r"\bloss(?: (?:is|of|at|starts? at|around|about))?\s?[=:：是为约]?\s?(\d{1,2}(?:\.\d+)?)(?![\d%])",
    re.I,
)
_VOCABULARY = regex(
    r"(?:\bvocab(?:ulary)?(?:[ _]size)?(?: (?:is|of))?|词表(?:大小)?)\s?[=:：是为]?\s?"
    r"(\d{1,3},\d{3}|\d{4,6}|\d{2,3}k)\b",
    re.I,
)
_FIRST = regex(
    r"\b(?:step|iter(?:ation)?) ?[=:]? ?[01]\b|\bfirst (?:step|iteration|batch)|\b(?:at|from) (?:the )?(?:very )?"
    r"(?:start|beginning)|\binitial|\bstarts? (?:at|with)|第 ?[01一] ?步|初始|一开始|刚开始|起步",
    re.I,
)
_NEAR = Text(
    "Weights that know nothing have a loss of ln(vocabulary): ln({vocabulary}) = {guess}. {loss} is "
    "near it: usual at the first step of a training from scratch. With trained weights it would be "
    "far lower: then they were not loaded, or another tokenizer is used.",
    "什么都没学到的权重，loss 约为 ln(词表)：ln({vocabulary}) = {guess}。{loss} 与它接近：从头预训练的第一步"
    "属正常。若加载了训练好的权重，应远低于此；否则说明权重没有加载上，或 tokenizer 不一致。",
)
_ABOVE = Text(
    "Weights that know nothing have a loss of ln(vocabulary): ln({vocabulary}) = {guess}. {loss} is "
    "above it, which no guess is: look at the scale of the initialisation, the labels, and how the "
    "loss is averaged.",
    "什么都没学到的权重，loss 约为 ln(词表)：ln({vocabulary}) = {guess}。{loss} 高于它，比瞎猜还差："
    "请检查初始化的尺度、标签，以及 loss 的平均方式。",
)
_BELOW = Text(
    "Weights that know nothing have a loss of ln(vocabulary): ln({vocabulary}) = {guess}. {loss} is "
    "below it: the weights know something, as loaded ones do.",
    "什么都没学到的权重，loss 约为 ln(词表)：ln({vocabulary}) = {guess}。{loss} 低于它：权重已学到东西，"
    "加载了训练好的权重时就是如此。",
)


def of_first_loss(text: str) -> Text | None:
    """What a first loss is beside ln(vocabulary), in nats; None where a text does not name both."""
    loss, vocabulary = _LOSS.search(text), _VOCABULARY.search(text)
    if loss is None or vocabulary is None or not _FIRST.search(text):
        return None
    size = int(re.sub(r"\D", "", vocabulary[1])) * (1000 if vocabulary[1][-1] in "kK" else 1)
    guess, said = math.log(size), float(loss[1])
    told = _NEAR if abs(said - guess) <= NEAR else _ABOVE if said > guess else _BELOW
    return told.fill(vocabulary=f"{size:,}", guess=f"{guess:.2f}", loss=loss[1])
