"""Sentences that call one part well and complain of another: "eval crashes, training is fine"."""

from __future__ import annotations

from medic.match.tone import clauses, complains, reassures
from medic.text.patterns import regex

# What is well by its own name: "the answers look fine", 单卡正常; or at another time. "It", "all" and 都
# are what the clause before was about.
_WELL = r"(?:fine|ok|okay|good|well|normal|correct|healthy|smooth(?:ly)?)"
_OWN_PART = regex(
    r"(?i)\b(?!(?:it|that|this|all|everything|they|these|those|which|run|what|and|but|now|still|"
    r"tests?|checks?|seems?)\b)[\w-]+\s(?:itself |alone |metrics? )?"
    r"(?:is|are|was|were|looks?|works?|worked|runs?|ran|goes|went|stays?|seems?)\s"
    rf"(?:all |just |perfectly |totally |completely |always |still |quite |to be )?{_WELL}\b|"
    r"\b(?:before|without|otherwise|elsewhere|locally|(?:the )?rest|else)\b.{0,30}"
    rf"\b(?:{_WELL}|works?|worked)\b|"
    r"[^\s看都也又还全一切目前现在就是很比较已经]{2}"
    r"(?:看着|看起来|看上去|时|都|也|是|很|完全|一直|\s){0,4}(?:正常|没(?:有)?(?:什么)?问题|没事)$"
)
# Of what comes after the complaint, it is that which is over.
_AFTERWARDS = regex(
    r"(?i)\b(?:then|after(?:wards?)?|since|now|later|again|recover\w*)\b|之后|以后|后来|后面|随后|现在|恢复|又"
)
# What a run does that has no word for trouble of its own: one value, one word, all the time.
_STRANGE = regex(
    r"(?i)\b(?:always|only(?: ever)?|nothing but|never|all) (?:\w+ )?"
    r"(?:0(?:\.0+)?|zero|empty|the same|ones?|identical|nan)\b|"
    r"\b(?:stays?|stuck|remains?|is|are|was) (?:exactly |always |at |constantly ){1,2}"
    r"(?:0(?:\.0+)?|zero)\b|"
    r"(?<!\blr )(?<!rate )(?<!memory )\b(?:drop|fall|dip|sink)s? (?:back |down )?to (?:0(?:\.0+)?(?![.\d])|zero\b)|"
    r"\b(?:util\w*|usage|throughput|speed|mfu|power)\b.{0,20}\b(?:drop|fall|dip)s?\b.{0,20}\bevery\b|"
    r"(?<!学习率)(?<!显存)(?<!内存)(?:掉|跌)(?:到|至|为) ?(?:0(?:\.0+)?(?![.\d])|零)|"
    r"\b(?:gibberish|garbage|exclamation marks?|nonsens\w*|repeats? (?:itself|the same|one))\b|"
    r"(?:一直|始终|总|永远|全|都)(?:都)?(?:是|为|停在|卡在)\s?"
    r"(?:0|零|空|感叹号|乱码|同一|重复|符号|一样)|乱码|感叹号|重复同一"
)
_EDGE = " .!。！"


def other_part(sentence: str) -> str:
    """What a sentence tells beside a part that it calls well by name, where that is a complaint.
    Empty: nothing else."""
    parts = clauses(sentence)
    rest = [part for part in parts if not _well_by_name(part)]
    if len(rest) in (0, len(parts)):
        return ""
    told = (p for p in rest if not reassures(p) and (complains(p) or _STRANGE.search(p)))
    return ", ".join(told).strip()


def _well_by_name(part: str) -> bool:
    """Whether a clause says of something that it names, and of no later time, that it is well."""
    if _OWN_PART.search(part.strip(_EDGE)) is None or _AFTERWARDS.search(part):
        return False
    return not complains(part)
