"""Texts that complain of nothing: questions of usage, and statements that all is well."""

from __future__ import annotations

from medic.match.parts import other_part
from medic.match.tone import (
    SAYING,
    asks_why,
    at_ease,
    clauses,
    complains,
    mended,
    odd,
    turns,
)
from medic.match.words import terms_of
from medic.text.patterns import regex

_END = regex(r"\n|(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])")
_GREETING = regex(
    r"(?i)^(?:hi|hello|hey|so|and|ok|okay|please|quick question|你好|请问|想问(?:一下)?)\b[ ,:!\uff0c]*"
)
# What is asked of how things are done, or of what a word means.
_USAGE = regex(
    r"(?i)^(?:how (?:do|does|can|could|should|to|would|many|much|long|often|big|large)\b|"
    r"what(?:'s| is| are| does| do| would| should|(?: \w+){1,2} (?:is|are|do|does|should|fits?|works?)\b)|"
    r"which\b|where (?:do|does|can|is|are)\b|when (?:should|do)\b|should (?:i|we)\b|do (?:i|we) (?:need|have to)\b|"
    r"(?:can|could|may) (?:i|we|it|you|one|\d)|is (?:it|there|a|an|the)?\b|are there\b|does\b|will\b|would\b|"
    r"(?:what is )?(?:the )?differences? between)|"
    # 怎么/如何 + what one does; 多少/多大; 什么是, 什么意思, 什么用, 什么区别; 还是; 吗
    r"(?:怎么|怎样|如何)(?:去)?(?:设|配|调|选|看|算|写|用|指定|保存|监控|"
    r"判断|检测|打乱|加|换|改|开|关|断点|续|训|实现|安装|启动)|"
    # 怎么在 axolotl 里开启: where it is done may stand between.
    r"(?:怎么|怎样|如何)(?:才能)?在[^，。！？]{1,24}?(?:设置|配置|开启|关闭|启用|打开|使用|指定|实现|保存|加载|安装|切换)(?!了)|"
    r"多(?:少|大|长|久)(?:合适|好|比较好|步|个)?(?:呢|啊)?[?\uff1f]|"
    r"什么(?:是|意思|用|区别|作用|好处)|"
    r"(?:设|调|选|用|取|开|配)(?:成|为|到|在|了)?多(?:少|大|长|高)|多(?:少|大|长|高)(?:才|比较|最|更)?(?:合适|合理|好)|"
    r"设多少|设多大|一般.{0,12}(?:几|多)|还是.{0,12}[?\uff1f]|吗\s*[?\uff1f]?$"
)
# Such a question may name a trouble: what it is, how one sees it, whether something brings it.
_OF_TROUBLE = regex(
    r"(?i)^(?:what (?:is|are|does|do)\b(?!.*\bwrong)|how (?:do|does|can|could|should|to)(?: (?:i|we|you|one))? "
    r"(?:detect|monitor|notice|measure|log|recogni[sz]e|know if|tell if)|"
    r"(?:does|will|would) (?!any|some)|do (?:i|we) have to (?:fear|worry))|"
    r"什么是|什么意思|判断|检测|监控|会.{0,8}吗"
)
# Who asks for a cure, or tells of his own run.
_OWN = regex(
    r"(?i)\b(?:my|our|i (?:get|got|see|have|am)|we (?:get|got|see|have)|fix|solve|resolve|avoid|prevent|debug|"
    r"get rid|anyone|somebody|keeps?|wrong|happen\w*)\b|我|解决|怎么办|老是|总是|一直|了"
)
_GOOD = regex(
    r"(?i)\b(?:stable(?! (?:at|around|near) |\W*diffusion)|steady|steadily|healthy|"
    r"as (?:expected|it should|they should|planned|usual|intended)|nicely|smooth(?:ly)?|balanced|correctly|"
    r"successful(?:ly)?|(?<!as )well|good(?! (?:idea|practice|reason|way))|great|normal(?:ly)?|fast enough|"
    r"fully busy|converged|are up|reproducible|fine(?![- ]?tun|[- ]?grain)|works? (?:now|again))\b|"
    r"\b(?:loss|kl) (?:still )?(?:is )?(?:decreas\w+|small|stays small)$|"
    r"util\w*\D{0,12}(?:9\d|100) ?%|"
    r"稳定(?!在)|平稳|正常|不错|很好|均衡|成功|够用|符合预期|稳步|"
    r"能接上|能连上|平滑|可以复现|没问题|利用率\D{0,6}(?:9\d|100) ?%|"
    r"很快(?!就?(?:到|降|掉|变|崩|塌|爆|溢|涨|升|停|断|卡|发散|饱和|OOM|nan))"
)
_HEDGE = regex(
    r"(?i)\b(?:too|should be|supposed|used to|was|were|instead|only|then|until|suddenly)\b|太|之前|突然|本来"
)
_BUT = regex(r"(?i)\bbut (?:steadily|surely|stable)")
# Nothing missing, nothing found: a fault is denied and no deed is.
_NONE = regex(
    r"(?i)^(?:there (?:is|are|was|were) )?no\b|\b(?:gone|not any ?more|no longer)\b|^(?:已经)?没(?:有|出现)?|不卡了"
)
# Of a clause beside one that denies a fault: it came to its end, or is well.
_ENDED = regex(
    r"(?i)^ ?(?:\w+ )?(?:\w+ )?(?:finished|completed|done|normal|fine)$|(?:跑完|训完|装好|完成)了?$|正常$"
)

FEW = 5
# An amount that is called too little, too much, or always the same.
_AMOUNTS = regex(
    r"(?i)%|\b(?:only|just|still|always|stays?|all|every|instead|than|expected|after|at)\b|"
    r"只|全|都|一直|总|才|就"
)
_USES = regex(
    r"(?i)^(?:(?:i|we)(?:'re| are|'ll)? (?:us(?:e|ing)|train|run|have|moved?|started?|plan)|"
    r"using|planning|started)\b(?!.*,)|"
    r"^(?:我们?)?(?:用|准备|刚|换)"
)


def _sentences(text: str) -> list[str]:
    return [s for s in (_GREETING.sub("", part.strip()) for part in _END.split(text)) if s]


def complains_not(text: str) -> bool:
    """Whether every sentence is a question of usage or says that what it names is well."""
    parts = _sentences(text)
    return bool(parts) and all(asks_usage(part) or is_well(part) for part in parts)


def asks_usage(sentence: str) -> bool:
    """Whether a sentence asks how something is done or what it means, and tells of no trouble."""
    if not _USAGE.search(sentence) or _OWN.search(sentence) or asks_why(sentence):
        return False
    return not complains(sentence) or _OF_TROUBLE.search(sentence) is not None


def is_well(sentence: str) -> bool:
    """Whether a sentence says that what it names is as it should be, and no more."""
    if other_part(sentence):
        return False
    if mended(sentence) or at_ease(sentence):
        return not turns(sentence)
    if (turns(sentence) and not _BUT.search(sentence)) or complains(sentence) or asks_why(sentence):
        return False
    denied = [t for t in terms_of(sentence) if t.startswith("!")]
    parts = clauses(sentence)
    if denied:  # a trouble that is not there
        none = _NONE.search(sentence) or all(_NONE.search(p) or _ENDED.search(p) for p in parts)
        return bool(none) and complains(" ".join(t[1:] for t in denied))
    good = [_GOOD.search(part) is not None for part in parts]
    if not any(good) or _HEDGE.search(sentence):
        return False
    return all(well or not odd(part) for well, part in zip(good, parts, strict=True))


def tells_set_up(text: str) -> bool:
    """Whether a text only tells what is used, with what values."""
    terms = set(terms_of(text))
    if any(t.startswith("!") or t in SAYING for t in terms):
        return False
    values = {t for t in terms if t.lstrip("-").replace(".", "").isdigit()}
    stated = bool(values) and len(terms) - len(values) <= FEW and not _AMOUNTS.search(text)
    return stated or _USES.search(text) is not None
