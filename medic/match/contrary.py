"""Sentences that share the words of an entry and say something else of them.

A comparison of words knows neither what a verb belongs to nor whose number a number is: "the
validation loss falls, too" has the words of one that rises, "lr is 0.0 and the loss stays" those of
a loss of zero. Here stands, for the entries that are mistaken so, what a sentence must say, or must
not say, to be meant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from medic.text.patterns import regex

if TYPE_CHECKING:
    from re import Pattern

_PART = regex(r",\s|[，、,;；。\n]|(?<=[.!?])\s|\b(?:and|but|while|yet)\b|但是?|而且?")
_RISE = regex(
    r"(?ai)\b(?:ris(?:es?|ing)|rose|increas\w*|grow\w*|grew|climb\w*|(?:go|goes|going|went|"
    r"turn\w*|creep\w*|keeps?|is) "
    r"(?:back )?up|upwards?|wors(?:e|en\w*)|overfit\w*|memori[sz]\w*)\b|上?升|上?涨|变大|变高|"
    r"增大|增加|变差|过拟合|越来越大"
)
_FALL = regex(
    r"(?ai)\b(?:fall(?:s|ing)?|fell|decreas\w*|drop(?:s|ped|ping)?|declin\w*|shrink\w*|improv\w*|"
    r"(?:go|goes|going|went|come|comes|coming|is|are) (?:\w+ )?down|down too)\b|下?降|变小|减小|"
    r"变好"
)
_DENIES = regex(
    r"(?ai)(?:\b(?:no|not|never|neither|nor|nothing|without|isn'?t|aren'?t|doesn'?t|didn'?t|"
    r"hasn'?t|don'?t|stop(?:s|ped)?)\b"
    r"[^,.;]{0,14}|(?:没有?|不|未|并未|不再|没再)(?:再|在|见|怎么|任何|出现|往|继续|明显|"
    r"有){0,2})$"
)
_LOSS = regex(r"(?ai)loss|perplexity|\bppl\b|损失|困惑度")
_VALIDATION = regex(
    r"(?ai)(?<![\w-])(?:val|valid|validation|eval|evaluation|test|dev|held-out|both|nothing)\b|"
    r"eval_loss|验证|评测|测试集|两[个者]|都"
)
_OTHER = regex(
    r"(?ai)\b(?:acc|accuracy|rewards?|scores?|throughput|memory|f1|metrics?|rate|lr|norm)\b|"
    r"准确率|奖励|得分|吞吐|显存|内存|学习率|指标"
)
_NAN = regex(r"(?ai)\b(?:nans?|not a number)(?![a-z])|(?<=[^a-z])nan(?![a-z])")
_NO_NAN = regex(
    r"(?ai)(?:\b(?:no|not|never|without|\w+n't|isnt|neither|nor)\b(?: (?:a|any|single|sign|of|"
    r"once|ever|yet|be|been|is|was|"
    r"go|goes|went|gone|become|becomes|became|turn|turns|turned|into|to|produce[ds]?|show[ns]?|"
    r"see|saw|seen|have|had|get|got|"
    r"the|loss|losses|gradients?|oom|inf|or|and|/))*|"
    r"(?:没有?|未|无|不是|从未|不会)(?:出现|变成|变为|发生|见到|看到|是|过|任何|也|有|到)*)\s*$"
)
_NOT_ONLY = regex(r"(?ai)\bnot (?:only|just)\b|不(?:仅|只|光)")
# A zero that is another noun's, directly beside it.
_RATE = r"(?:lr|learning[ _]?rate|学习率|grad(?:ient)?[ _]norms?|梯度范数)"
_IS = (
    r"(?:\s|is|was|are|shows?|shown|stays?|reads?|remains?|at|as|exactly|always|logged|=|:|：|"
    r"显示|一直|始终|总|都|全|是|为|在|等于|的|就){0,8}"
)
_NO_LOSS_ZERO = regex(
    rf"(?ai)(?:(?:loss|损失)\s?(?:and|or|和|与|及|、|/|,|，|&)\s?(?:the |"
    rf"its )?)?{_RATE}{_IS}(?<![\d.])0(?:\.0+)?(?![\d.]*\d)|"
    r"\b(?:step|epoch|iter(?:ation)?|rank|gpu|node|worker|local_rank|cuda|device|seed|"
    r"temperature|dropout|weight[ _]decay)"
    r"s?\W{0,3}0(?:\.0+)?(?![\d.]*\d)|第\s?0\s?(?:步|轮|个)|zero[- ]?[0-3]\b"
)
_WITH_LOSS = regex(r"(?ai)^(?:loss|损失)")
_ZERO = regex(r"(?ai)(?<![\d.])0(?:\.0+)?(?![\d.]*\d)(?!%)|zeros?\b|零")
_NORM = regex(r"(?ai)clip|norm|gradient|\bgrads?\b|裁剪|截断|范数|梯度")
_CLIPPED_OFTEN = regex(
    r"(?ai)\b(?:always|every|each|all|most|more|nearly|constant(?:ly)?|keeps?|trigger\w*|ratio|"
    r"share|fraction|often|"
    r"high|large|huge|big(?:ger)?|thousands?|hundreds?|around|over|above|higher|larger)\b|\d ?%|"
    r"\d{2,}|"
    r"每|一直|总是|频繁|越|占比|比例|很大|特别大|上千|持续|大部分|多数|全部|老是"
)
_SCALE = regex(r"(?ai)scal|overflow|skip|fp16|half|溢出|缩放|跳过|半精度")
_QUICKER = regex(
    r"(?ai)\b(?:throughput|speed|tokens?/s\w*|it/s)\b[^,.;]{0,12}\b(?:went up|goes up|is up|"
    r"increas\w*|rose|ris\w+|improv\w*|higher|better)\b|"
    r"\bfaster\b|(?:吞吐|速度)[^，。]{0,10}(?:升|涨|提高|提升|快了|变快)|快了|变快"
)
_SLOWER = regex(
    r"(?ai)\b(?:slow\w*|drop\w*|fell|fall\w*|decreas\w*|degrad\w*|halved|longer|down|lower)\b|"
    r"慢|降|掉|下滑"
)
_FIRST_STEP = regex(
    r"(?ai)\b(?:first|1st) (?:training )?(?:step|iteration|batch)|\b(?:step|iteration) (?:0|1|"
    r"one)\b|第\s?[01一]\s?(?:个)?(?:步|iter)|首步"
)
_LATER = regex(
    r"(?ai)\b(?:later|then|after\w*|rest|others?|remaining|following|subsequent)\b|后面|之后|"
    r"以后|后续|其余|其他|再往后"
)
_RESULT = regex(
    r"(?ai)\b(?:help\w*|better|best|stable|calm\w*|fine|works?|worked|still|same|no|not|"
    r"converg\w*|gone|disappear\w*|smooth\w*|"
    r"went|goes|stop\w*|fix\w*|solv\w*|normal|loss|then|falls?|but|without)\b|n't\b|正常|稳|好|"
    r"不|还|没|就|消失|收敛|解决|平滑|loss|损失"
)
_AT_WARMUP = regex(
    r"(?ai)\b(?:during|after|in|at|within|before|end of|while|once|until|"
    r"through)\b[^,.;]{0,16}warm[- ]?up|"
    r"warm[- ]?up(?: phase| steps?| period)? (?:ends?|ended|is over|finish\w*|complet\w*|phase)|"
    r"(?:warm[- ]?up|预热)[^，。,]{0,4}(?:结束|阶段|期|刚|完|中|里|过后|之后|时|一过|还没)|"
    r"刚过(?:了)?(?:warm|预热)|\bpeak|峰值|最高"
)
_BEFORE_RESUME = regex(r"(?ai)\b(?:before|prior to) (?:the |we |i |any )?(?:resum|restart)\w*")
_METRIC = regex(
    r"(?ai)acc|f1|bleu|rouge|score|metric|reward|task|rate|quality|wer\b|recall|precision|better|"
    r"pass|准确|精度|指标|得分|分数|效果|奖励|任务|召回|成功率"
)
_UNCHANGED = regex(
    r"(?ai)\b(?:unchanged|no change|(?:not|n't) (?:change|move)\w*|stuck|flat|the same)\b|"
    r"(?:没有?|无|未|不)(?:什么|任何)?(?:变化|改变|变(?![差坏小低])|提升)"
)
_WORSE = regex(
    r"(?ai)\b(?:wors\w*|fell|drop\w*|declin\w*|degrad\w*|lower)\b|变差|变坏|下滑|掉|更差|变低"
)
_USED = regex(
    r"(?ai)\b(?:instead|works?|worked|fine|normal\w*|decreas\w*|stable|switch\w*|chang\w*|"
    r"mov(?:ed|ing)|tr(?:y|ied|ying)|gone|disappear\w*|ok|okay|"
    r"helps?|helped|no nan|fix\w*|solv\w*|same|once|when|if|only)\b|正常|没|只|换|改|切|就好|"
    r"稳定|试|不再|消失|解决|才|就"
)

_LOWERED = regex(
    r"(?ai)\b(?:lower\w*|small\w*|reduc\w*|tiny|less|too (?:large|high|big)|was large|turn\w*|"
    r"halv\w*|works?|nans?|better|\d+x)\b|"
    r"nan|[降调减改设]|小|过大|太大|不行|正常"
)
_RATE_VALUE = regex(r"(?ai)(?<![\w.])\d(?:\.\d+)?e-?0?\d\b|(?<![\w.])0?\.0?\d+\b")
VERY_HIGH, HIGH = 0.002, 5e-4  # the outcomes of learning-rate-stated
Says = Callable[[str], bool]


def _validation_falls(sentence: str) -> bool:
    """Whether it says of the validation that it falls or does not rise, and of none that it rises."""
    if not _LOSS.search(sentence):
        return False
    falls = False
    for part in _PART.split(sentence):
        of_it = _VALIDATION.search(part) is not None
        for found in _RISE.finditer(part):
            denied = _DENIES.search(part[: found.start()]) is not None
            if not denied and (of_it or not _OTHER.search(part)):
                return False
            falls |= denied and of_it
        falls |= (of_it and not _OTHER.search(part)) and any(
            not _DENIES.search(part[: found.start()]) for found in _FALL.finditer(part)
        )
    return falls


def _nan_denied(sentence: str) -> bool:
    """Whether each mention of NaN is a denial."""
    named = [*_NAN.finditer(sentence)]
    return bool(named) and all(
        _NO_NAN.search(sentence[: one.start()]) and not _NOT_ONLY.search(sentence[: one.start()])
        for one in named
    )


def _zero_is_anothers(sentence: str) -> bool:
    """Whether what is zero is a number of a step or another quantity, and not the loss."""
    kept = _NO_LOSS_ZERO.sub(lambda m: m[0] if _WITH_LOSS.search(m[0]) else " ", sentence)
    return kept != sentence and _ZERO.search(kept) is None


def _of_norms(sentence: str) -> str:
    """The clauses that speak of gradients, their norm or its clipping."""
    return " ".join(part for part in _PART.split(sentence) if _NORM.search(part))


def _clipping_is_set(sentence: str) -> bool:
    own = _of_norms(sentence)
    return bool(own) and not (_CLIPPED_OFTEN.search(own) or _RISE.search(own))


def _norm_grows_not(sentence: str) -> bool:
    own = _of_norms(sentence)
    return bool(own) and not (_RISE.search(own) or "先" in own)


def _is_quicker(sentence: str) -> bool:
    """Whether it tells of more speed, or of a first step that alone is slow."""
    if not _SLOWER.search(sentence):
        return _QUICKER.search(sentence) is not None
    parts = _PART.split(sentence)
    slow = [part for part in parts if _SLOWER.search(part)]
    later = [part for part in parts if _LATER.search(part) and not _SLOWER.search(part)]
    return bool(later) and all(_FIRST_STEP.search(part) for part in slow)


def _unchanged(sentence: str) -> bool:
    return _UNCHANGED.search(sentence) is not None and _WORSE.search(sentence) is None


def _lowered_to_no_end(sentence: str) -> bool:
    """Whether it tells of no lower rate, or not what came of it."""
    return not (_LOWERED.search(sentence) and _RESULT.search(sentence))


def _rates(sentence: str) -> list[float]:
    return [float(found[0]) for found in _RATE_VALUE.finditer(sentence)]


def _rate_below(least: float, most: float = 1.0) -> Says:
    """Whether no learning rate that it states lies from the first up to below the second."""
    return lambda sentence: not any(least <= rate < most for rate in _rates(sentence))


def _without(pattern: Pattern[str]) -> Says:
    """Whether a sentence has none of the words without which the entry is not meant."""
    return lambda sentence: pattern.search(sentence) is None


# Of a symptom, "check=outcome", or "check=" for all outcomes of a check.
MISTAKEN: Mapping[str, Says] = {
    "validation-loss-rises": _validation_falls,
    "validation-gap=validation-turns-up": _validation_falls,
    "loss-nan": _nan_denied,
    "nan-onset=": _nan_denied,
    "nan-onset=during-warmup": _without(_AT_WARMUP),
    "loss-is-zero": _zero_is_anothers,
    "gradient-clipping-rises": _clipping_is_set,
    "loss-jump-timing=with-gradient-growth": _norm_grows_not,
    "loss-scale-collapses": _without(_SCALE),
    "throughput-drops": _is_quicker,
    "learning-rate-range=lower-is-better": _lowered_to_no_end,
    "learning-rate-stated=very-high": _rate_below(VERY_HIGH),
    "learning-rate-stated=high": _rate_below(HIGH, VERY_HIGH),
    "variant-that-works=wider-precision": _without(_USED),
    "metric-beside-loss=falls-too": _unchanged,
    "metric-beside-loss=improves-while-loss-rises": _without(_METRIC),
    "resume-fails": lambda sentence: _BEFORE_RESUME.search(sentence) is not None,
}
# What a text denies as a whole is no likeness to a cause that shows it, either.
_DENIABLE = ("validation-loss-rises", "loss-nan")


def contrary(name: str, sentence: str) -> bool:
    """Whether a sentence near to a symptom or an outcome ("check=outcome") says something else."""
    check, sign, _ = name.partition("=")
    rules = (MISTAKEN.get(key) for key in {name, check + sign})
    return any(rule is not None and rule(sentence) for rule in rules)


def denied(text: str) -> frozenset[str]:
    """Symptoms that a text as a whole says are not so."""
    return frozenset(name for name in _DENIABLE if contrary(name, text))
