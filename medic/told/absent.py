"""What a person says that the run does not have: "no ZeRO", "not NaN", 没有用 FSDP, 没有 NaN."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from medic.match import contrasts, praises
from medic.run_config import Scalar
from medic.text.patterns import regex

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
    r"(?= ?(?:at all|anywhere|either|so far|ever|in (?:the|any) (?:logs?|loss(?:es)?|run)|的|过)?"
    r" ?(?:$|[,;，。；、!！\n]|\.(?!\d)|\b(?:and|but)\b|也|和|但))(?! ?[,，]? ?(?:就(?!是)|则|反而|then ))"
)

# Said behind the name of a trouble: it was there, and is no more.
_GONE = (
    r"(?:(?: loss(?:es)?| errors?| problems?| issues?|的?(?:问题|报错))?(?: (?:is|are|has|have))?"
    r"(?: now| finally| all)*"
    r" (?:gone|went away|disappeared|vanished|solved|fixed)(?: now| away| for good)*| ?(?:的问题|的报错)?(?:现在|已经)?"
    r"(?:没有了|没了|不见了|消失了|解决了|修好了|好了|不再出现了?|不出现了))"
)
_NO_MORE = r"(?:no longer|no more|(?:does|do|is|are)(?: not|n'?t)(?: any ?more)?|不再(?:是|有|出现|报)?|不会再)"
_RETURNS = regex(
    r"\b(?:again|back|returns?|returned|reappear\w*|until)\b|又|再次|重新|过一会|还会", re.I
)

REACH = 300  # characters to either end of a sentence; a longer one is a paste
_SENTENCE = regex(r"\n|(?<=[.!?;])\s|[。！？；]")
_CLAUSE = regex(r",\s|[，、,]|\b(?:and|but)\b|但")
_PARTS = regex(
    r"(\n|(?<=[.!?;])\s|[。！？；，;]|,\s|,(?=[\u3400-\u9fff])|\s(?:and|but|yet|though|however)\b|(?:但是?|不过|可是|然而|而且?))"
)
# All that may stand before a denial of the run that is told of: with any other word it may be said
# of a setting, a part, another run or another time.
_PLAIN = regex(
    r"(?:\s|\b(?:we|i|it|there|the|our|my|this|run|jobs?|training|model|setup|config|script|loss(?:es)?|"
    r"gradients?|logs?|is|are|have|has|see|get|uses?|also|so far|still|in|with|either)\b|"
    r"我们?|的|这个|这次|本次|整个|训练|任务|模型|过程|全程|始终|一直|日志|里|中|损失|梯度|都?也|都|并|且|同时|还|看|[:：])*",
    re.I,
)
# A condition in another clause of the sentence: where, with what, when, after which change.
_CONDITION = regex(
    r"^\W*(?:on|with|without|in|at|for|under|using|if|unless|when|while|once|after|before|until|during|"
    r"as (?:long|soon)|except)\b|"
    r"\b(?:tr(?:y|ied)|switch\w*|chang\w+|lower\w*|reduc\w+|rais\w+|disabl\w+|enabl\w+|turn(?:ed|ing)|set) |"
    r"时(?!间)|如果|若|只要|除非|改|换|调[到大小高低]|设[成为]|降到|去掉|关[掉闭]|打开",
    re.I,
)
# Of another run, place or time than the one that is told of; "on eight it does".
_ANOTHER = regex(
    r"\b(?:old|older|new|newer|other|another|previous(?:ly)?|earlier|formerly|yesterday|original|baseline|"
    r"small(?:er)?|(?:one|a|single)[- ](?:gpu|card|node|machine|rank|worker)|locally)\b|"
    r"\b(?:does|do|did|is|are|was|were|has|had)\s*(?:[.,;!?]|$)|"
    r"单[卡机]|单节点|一[张台]|小数据|小模型|本地|之前|以前|原来|原先|旧|老的|老版|上次|昨天|其[他它]|另|别的|换成",
    re.I,
)


@lru_cache(maxsize=4)
def _patterns(called: tuple[tuple[str, str], ...]) -> tuple[tuple[str, Scalar, Pattern[str]], ...]:
    """Of each feature and symptom: its name, its value (None of a symptom), how it is denied."""
    every = [(name, value, words) for name, (value, words) in FEATURES.items()]
    every += [(name, None, words) for name, words in called]
    return tuple((name, value, regex(_denial(words), 2)) for name, value, words in every)


def _denial(words: str) -> str:
    """Patterns of the words behind a "no", and before an "is off". A blank is any white space."""
    thing = rf"(?:{words})"
    own = rf"(?<![a-z0-9_-]){_NOT} {thing}{_END}|{_ZH_NOT} ?{thing}{_END}"
    return rf"{own}|(?<![a-z0-9_.-]){thing}{_OFF}{_END}".replace(" ?", r"\s*").replace(" ", r"\s+")


def features(text: str) -> Iterator[tuple[str, Scalar, str, tuple[int, int]]]:
    """(field, value, words, place) of each feature that the text says the run does not have."""
    for name, value, words, place in _denials(text, ()):
        if value is not None:
            yield name, value, words, place


def symptoms(text: str, called: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(symptom, words) of each symptom that the text says is not there; ``called``: what people
    call those that may be denied."""
    for name, value, words, _ in _denials(text, tuple(called.items())):
        if value is None:
            yield name, words


def without_gone(text: str, called: Mapping[str, str]) -> str:
    """The text without its clauses that say of a trouble no more than that it is gone; a text in
    which it comes back, or went on a condition, stays whole."""
    parts = [*_PARTS.split(text)]
    over = [_is_gone(part, tuple(called.items())) for part in parts[::2]]
    if not any(over) or _RETURNS.search(text) or _ANOTHER.search(text):
        return text
    told = [part.strip() for part, gone in zip(parts[::2], over, strict=True) if not gone]
    if any(_CONDITION.search(part) for part in told):
        return text
    return "\n".join(filter(None, told))


def _is_gone(clause: str, called: tuple[tuple[str, str], ...]) -> bool:
    return any(pattern.fullmatch(clause.strip()) for pattern in _gone_patterns(called))


@lru_cache(maxsize=4)
def _gone_patterns(called: tuple[tuple[str, str], ...]) -> tuple[Pattern[str], ...]:
    lead = rf"{_PLAIN.pattern}(?:现在|已经|now )?"
    every = [rf"{lead}(?:{words}){_GONE}" for _, words in called]
    every += [rf"{lead}{_NO_MORE} ?(?:{words})(?: any ?more)?了?" for _, words in called]
    return tuple(regex(one.replace(" ?", r"\s*"), re.I) for one in every)


def _denials(
    text: str, called: tuple[tuple[str, str], ...]
) -> Iterator[tuple[str, Scalar | None, str, tuple[int, int]]]:
    """All that the text denies of the run whatever the circumstances; a text that sets two things
    against each other denies nothing."""
    found = [(n, v, hit) for n, v, pattern in _patterns(called) for hit in pattern.finditer(text)]
    if not found or contrasts(text) or _ANOTHER.search(text):
        return
    for name, value, hit in found:
        if _unconditional(text, hit.start(), hit.end()):
            yield name, value, hit.group().strip(), hit.span()


def _unconditional(text: str, start: int, end: int) -> bool:
    """Whether the sentence around a denial names no condition of it."""
    before = _SENTENCE.split(text[max(0, start - REACH) : start])[-1]
    behind = _SENTENCE.split(text[end : end + REACH], maxsplit=1)[0]
    if REACH in (len(before), len(behind)):
        return False
    *others, own = _CLAUSE.split(before)
    rest = [*others, *_CLAUSE.split(behind)[1:]]  # what ends the own clause is known
    return (
        _PLAIN.fullmatch(own) is not None
        and not praises(before + behind)
        and not any(_CONDITION.search(clause.strip()) for clause in rest)
    )
