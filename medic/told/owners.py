"""Whose a setting is that a person states: the critic's learning rate is not that of the model that is trained."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medic.text.patterns import regex

_OTHER = (
    r"(?:(?<![a-z0-9])(?:critic|value|reward|rm|draft(?:er)?|ref(?:erence)?|teacher|adapter|embed(?:ding)?s?|router|"
    r"discriminator|projector|vision|vit)(?:[\s_-]?(?:model|net(?:work)?|head|function|layer|tower|encoder))?(?![a-z0-9])|"
    r"价值|奖励模型|参考模型|草稿模型|教师模型|适配器|词?嵌入|路由器?|判别器|投影|视觉)"
)
_ITS = r"(?:'s|\s?(?:模型|网络|函数|头|层|塔|编码器))?(?:\s?的)?"
_NAME = (
    r"(?:(?:peak |max |base )?(?<![a-z])(?:lr|learning[\s_]rate)(?![a-z])|(?:峰值|最大)?学习率|weight[\s_]decay|"
    r"warm-?up(?: steps)?|(?:micro[\s_])?batch(?:[\s_]size)?|(?:tp|pp)(?: size)?(?![a-z])|hidden(?: size)?|dropout)"
)
_LINK = (
    r"\s?(?:[=:：]|(?:is|was|of|at|to|set to)(?![a-z])|设为|设成|设置为|改成|用的?是?|是|为)?\s?"
)
_NUMBER = r"\d[\d.,]*(?:e[-+]?\d+)?(?![\d.]*\d)"
_TRAINED = r"(?:actor|policy|student|base|backbone|策略|主干)(?:\s?(?:model|模型))?"
_BOTH = rf"(?!\s*(?:and|/|&|和|与|、)\s*(?:the )?{_TRAINED})"
_SETTING = regex(
    rf"{_OTHER}{_ITS}\s?{_NAME}{_LINK}{_NUMBER}|{_OTHER}{_ITS}{_LINK}{_NUMBER}\s?的?{_NAME}|"
    rf"{_NAME} (?:of|for|on) (?:the |its |our )?{_OTHER}{_LINK}{_NUMBER}|"
    rf"{_NAME}{_LINK}{_NUMBER},? (?:of|for|on|in) (?:the |its |our )?{_OTHER}{_BOTH}|"
    rf"{_NAME}{_LINK}{_NUMBER}\s?[(（]{_OTHER}[)）]",
    re.I,
)
_RIGHT_BEFORE = regex(rf"{_OTHER}{_ITS}\s?$", re.I)
_ALSO_OF_IT = regex(rf"{_TRAINED}\s*(?:and|/|&|和|与|、)\s*(?:the )?$", re.I)


def of_others(text: str) -> Iterator[tuple[int, int]]:
    """The places of the settings that a text states of another model or part than the trained one."""
    for hit in _SETTING.finditer(text):
        if not _ALSO_OF_IT.search(text[: hit.start()]):
            yield hit.span()


def is_of_another(text: str, start: int, end: int, others: list[tuple[int, int]]) -> bool:
    """Whether the value at ``start`` to ``end`` is one of ``others``, or stands right behind the name
    of another model: "reward model 7B"."""
    if any(a < end and start < b for a, b in others):
        return True
    before = _RIGHT_BEFORE.search(text[:start])
    return before is not None and not _ALSO_OF_IT.search(text[: before.start()])


def without_others(text: str) -> str:
    """The text without what it states of another model: no finding about the trained one."""
    for start, end in reversed(list(of_others(text))):
        text = f"{text[:start].rstrip(' ,，、')}{text[end:]}"
    return text
