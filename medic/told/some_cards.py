"""Whether counted cards or ranks are some of those of the run and not all of them.

Told by what stands before or behind the count: "有一张卡特别慢", "2 GPUs are slower than the others".
How many these are is no size of the run.
"""

from __future__ import annotations

import re

from medic.text.patterns import regex

_SOME_BEFORE = regex(
    r"(?:其中|某|里有?|中有|另外?|[坏掉少多换丢]了|总有|老有|只有|就|有|哪|这|那)的?\s?$|"
    r"\b(?:lost|only|the other|these|those|except(?: for)?|of (?:my|our|the|all)|swap\w*|replac\w*) $",
    re.I,
)
_SOME_BEHIND = regex(
    r"^\s?(?:总是|一直|经常|明显|特别|比|跑得|的?(?:温度|频率|功耗|利用率|速度|显存)|掉|坏|慢|快|热|降频|报|"
    r"出现|出了|没|不|偏|卡住|挂|异常|有问题|拖)|"
    r"^ (?:(?:is|are|was|were|runs?|ran) (?:\w+ )?(?:slow\w*|hot\w*|behind|lagging|missing|gone|bad|broken|faulty|"
    r"idle|throttl\w*)|(?:fell|falls?|drops?|dropped) (?:off|out)|throttl\w*|lags?|overheats?)\b",
    re.I,
)
_OF_MORE = regex(r"^ (?:out )?of (?:the |our |my )?(?:\d|other)", re.I)
_WITH_THESE = regex(r"(?:\b(?:on|with|using|use|only have)|[用在]) ?$", re.I)
_ACTS = regex(
    r"^ (?:(?:are |were )?(?:get|gets|got|getting|take|takes|took|receive\w*|have|hold|hog|handle|carry|eat|attract|"
    r"dominate|dead|idle|starv\w*|unused|never)\b)|^\s?(?:就?(?:拿|占|吃|分|得|收|承|包)|从不|没有?|是死的|闲)",
    re.I,
)
_OTHERS = regex(
    r"\b(?:others|(?:the|all) other (?:\w+ )?(?:gpus?|cards?|ranks?|ones)|the rest|remaining)\b|"
    r"其[他它余]|别的|剩下|剩余|另外[几的]",
    re.I,
)


def are_some(text: str, start: int, end: int, alone: bool) -> bool:
    """Whether the count at ``start`` to ``end`` is of cards about which something is told apart from
    the others; ``alone``: it is one card."""
    before, behind = text[:start], text[end:]
    if _OF_MORE.search(behind):
        return True
    if _WITH_THESE.search(before):
        return False
    if _SOME_BEHIND.search(behind):
        return alone or bool(_SOME_BEFORE.search(before) or _OTHERS.search(text))
    return bool(_SOME_BEFORE.search(before) and _OTHERS.search(text))


def acts(text: str, end: int) -> bool:
    """Whether what is counted up to ``end`` is told to do something: "3 experts get 60% of the tokens"."""
    return _ACTS.search(text[end:]) is not None
