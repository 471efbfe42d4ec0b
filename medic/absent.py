"""What a person says that the run does not have: "no ZeRO", "not NaN", 没有用 FSDP, 没有 NaN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from medic.patterns import regex
from medic.run_config import Scalar

if TYPE_CHECKING:
    from re import Pattern

# Of a field: the value that its feature's absence is, and how people call the feature.
FEATURES: Mapping[str, tuple[Scalar, str]] = {
    "zero_stage": (
        0,  # "not zero" is also said of a number: only ZeRO as it is spelled, or beside its own words
        r"(?:deep ?speed )?(?:(?-i:ZeRO)|zero stage)|deep ?speed(?: zero)?",
    ),
    "fsdp": (False, r"fsdp2?"),
    "optimizer_offload": ("none", r"(?:cpu |optimizer )?off ?load(?:ing)?"),
    "activation_checkpointing": (
        False,
        r"(?:gradient|activation) (?:checkpointing|recomputation)|激活重计算|重计算|梯度检查点",
    ),
    "compile": (False, r"(?:torch[. ])?compile"),
    "use_amp": (False, r"amp|autocast|mixed precision|混合精度"),
    "quantization": ("none", r"quanti[sz]ation|量化"),
}
SYMPTOMS: Mapping[str, str] = {
    "loss-nan": r"nans?(?: ?(?:/|or|和|或) ?infs?)?(?: loss(?:es)?)?|nan 的? ?(?:loss|损失)",
    "cuda-out-of-memory": r"(?:cuda )?oom(?: errors?)?|(?:cuda )?out[-\s]of[-\s]memory(?: errors?)?|显存不足|爆显存",
    "training-hangs": r"hangs?|hanging|卡住|卡死",
}
_NOT = (
    r"(?:(?:there (?:is|are) )?no(?: single| sign of)?|(?:is|are|was|were|it'?s) not|"
    r"(?:is|are|was|were)n'?t|never(?: uses?d?| goes| went| becomes| became)?|"
    r"(?:(?:do|does|did) not|(?:do|does|did)n'?t|not)(?: (?:use|using|have|see|go|become))?)"
)
_ZH_NOT = r"(?:没有?|并未|未|无|不)(?:使用|用|开启|启用|开|出现|发生|变成|变为|看到|见到|报|是)?过?(?:任何)?"
_OFF = (
    r"(?: (?:is|are) (?:off|disabled|unused|not (?:used|enabled|on|in use))|"
    r" ?(?:没有?|并未|未)(?:使用|用|开启|启用|打开|开|出现))"
)
# The clause ends behind it: "no NaN before step 500" and "不用 ZeRO 就正常" deny nothing.
_END = (
    r"(?= ?(?:at all|anywhere|either|so far|here|ever|in (?:the|any) (?:logs?|loss(?:es)?|run)|的|过)?"
    r" ?(?:$|[,;，。；、!！\n]|\.(?!\d)|\b(?:and|but)\b|也|和|但))(?! ?[,，]? ?(?:就(?!是)|则|反而|then ))"
)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, Scalar, Pattern[str]], ...]:
    """Of each feature and symptom: its name, its value (None of a symptom), how it is denied."""
    every = [(name, value, words) for name, (value, words) in FEATURES.items()]
    every += [(name, None, words) for name, words in SYMPTOMS.items()]
    return tuple((name, value, regex(_denial(words), 2)) for name, value, words in every)


def _denial(words: str) -> str:
    """Patterns of the words behind a "no", and before an "is off". A blank is any white space."""
    thing = rf"(?:{words})"
    own = rf"(?<![a-z0-9_-]){_NOT} {thing}{_END}|{_ZH_NOT} ?{thing}{_END}"
    return rf"{own}|(?<![a-z0-9_.-]){thing}{_OFF}{_END}".replace(" ?", r"\s*").replace(" ", r"\s+")


def features(text: str) -> Iterator[tuple[str, Scalar, str, tuple[int, int]]]:
    """(field, value, words, place) of each feature that the text says the run does not have."""
    for name, value, pattern in _patterns():
        if value is not None:
            for hit in pattern.finditer(text):
                yield name, value, hit.group().strip(), hit.span()


def symptoms(text: str) -> Iterator[tuple[str, str]]:
    """(symptom, words) of each symptom that the text says is not there."""
    for name, value, pattern in _patterns():
        if value is None:
            for hit in pattern.finditer(text):
                yield name, hit.group().strip()
