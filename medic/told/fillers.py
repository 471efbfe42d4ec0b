"""Words that say nothing more beside a value of the run: "we use 8 GPUs for training", 我们用了 8 卡."""

from __future__ import annotations

import re

from medic.told.field_words import CARD

_FILLERS = (
    "we|i|it|the|an?|our|my|this|that|each|every|there|have|has|had|is|are|was|were|uses?|used|"
    "using|with|and|on|in|of|for|running|runs?|training|job|nodes?|machines?|servers?|cpu|gpu|"
    "total|so|about|also|only|just|set|to|both|at|model|per|all|by"
)
_ZH_FILLERS = (
    "我们|我的|我|用了|用|的|是|有|了|本次|本|该|这个|这次|这|每|台|个|节点|机器|服务器|训练|任务|"
    "模型|一共|总共|共|和|与|且|及|在|上|里|大约|约|配置|设置"
)
# The longer before what it begins with: each word is taken once, without going back.
_FILLER = re.compile(
    rf"(?<![a-z0-9])(?:{CARD}|{_FILLERS})(?![a-z0-9])|{_ZH_FILLERS}|[\s,.;:，。；、：!！]+".replace(
        " ?", r"[\s-]?"
    ),
    re.I,
)


def says_nothing(text: str) -> bool:
    """Whether the text is made of words that say nothing."""
    at = 0
    for hit in _FILLER.finditer(text):
        if hit.start() != at:
            return False
        at = hit.end()
    return at == len(text)
