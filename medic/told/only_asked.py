"""Words that only ask: which command answers them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medic.i18n import Text
from medic.text.patterns import regex

if TYPE_CHECKING:
    from medic.told.understood import Told

_ASKED = Text(
    "No fault is described. What a term or message means: medic explain WORDS.",
    "没有描述故障。要了解术语或报错的含义，请用 medic explain 词语。",
)
# What is asked about, and who answers it.
_ASKED_OF = (
    (
        regex(
            r"(?i)\b(?:memory|vram|gpu ram|fits?)\b|\bhow (?:many|much|big).{0,20}\b(?:gpus?|cards?|g[ib]+)\b|"
            r"显存|放得下|装得下|几张卡|多少(?:张)?卡"
        ),
        Text(
            "How much memory a training needs: medic memory --model NAME (as llama-3-8b), or with its "
            "config files.",
            "训练需要多少显存：medic memory --model 名称（如 llama-3-8b），或给出配置文件。",
        ),
    ),
    (
        regex(r"(?i)\blearning[ -]rates?\b|\blr\b|学习率"),
        Text(
            "Which learning rates are usual: medic explain learning rate; of a config: medic lint FILES.",
            "常用的学习率范围：medic explain 学习率；检查配置中的取值：medic lint 文件。",
        ),
    ),
)


def answer_to(told: Told) -> Text | None:
    """Which command answers words that only ask; None where they do more."""
    from medic.match import only_asks

    if not (told.asks or (told.at_ease and only_asks(told.words))):
        return None
    return next((by for asked, by in _ASKED_OF if asked.search(told.words)), _ASKED)
