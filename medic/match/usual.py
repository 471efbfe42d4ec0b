"""What people ask about and any sound run does: a spike that heals, a first step that compiles.

Each kind names all that a text must say, and what it must not: a text with any other word for
trouble is read as a complaint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from medic.match.tone import asks, complains
from medic.text.patterns import regex

if TYPE_CHECKING:
    from re import Pattern


class _Kind(NamedTuple):
    """``needs``: a text has all of them. ``words``: the trouble that is meant, and is none."""

    needs: tuple[Pattern[str], ...]
    never: Pattern[str]
    words: Pattern[str]


_FIRST = r"\b(?:first|1st|very first)\b|第\s?[01一]\s?个?步|首步|\bstep [01]\b"
_RISING = r"\b(?:ris\w+|rose|increas\w*|climb\w*|up)\b|升|涨|提高"
_KINDS = (
    _Kind(  # back within 50 steps: no action is needed (PaLM, stas00)
        (
            regex(r"(?ai)spik|\bjump|尖峰|尖刺|毛刺|跳一?下"),
            regex(
                r"(?ai)\b(?:occasional\w*|now and then|from time to time|small|rare\w*|"
                r"once in a while|sometimes)\b|偶尔|小尖|零星"
            ),
            regex(r"(?ai)\brecover\w*|\b(?:comes?|goes|is|are) back\b|恢复|回到|回落"),
        ),
        regex(
            r"(?ai)\b(?:every|each|more (?:often|and more)|(?:not|never|"
            r"n't) (?:fully )?recover\w*|always|"
            r"frequent\w*|larger|bigger|resum\w*|restart\w*)\b|越来越|频繁|没有?恢复|不恢复|"
            r"无法恢复|每|续训|恢复训练"
        ),
        regex(r"(?ai)\b(?:spik\w*|jump\w*)\b|尖峰|尖刺|毛刺|突然|跳一?下"),
    ),
    _Kind(  # what is compiled and tuned at the first step
        (
            regex(rf"(?ai){_FIRST}"),
            regex(r"(?ai)\bslow\w*|\bminutes?\b|\btakes? \d|慢|分钟"),
            regex(
                r"(?ai)\b(?:later|after\w*|then|rest|others?|following|subsequent)\b|后面|之后|"
                r"以后|后续|其余"
            ),
            regex(r"(?ai)compil|triton|autotun|编译"),
        ),
        regex(
            r"(?ai)recompil|every (?:few|\d+) steps|slower and slower|again and again|重新编译|"
            r"越来越慢|又慢|每隔"
        ),
        regex(r"(?ai)\b(?:slow\w*|takes? \d+ minutes?)\b|很?慢"),
    ),
    _Kind(  # a warmup begins at zero
        (
            regex(r"(?ai)\blr\b|learning[ _]rate|学习率"),
            regex(rf"(?ai){_FIRST}"),
            regex(r"(?<![\d.])0(?:\.0+)?(?![\d.]*\d)|零"),
            regex(r"(?ai)warm[- ]?up|预热"),
            regex(rf"(?ai){_RISING}"),
        ),
        regex(r"(?ai)\b(?:stays?|always|every)\b|一直|始终|总是"),
        regex(r"(?ai)\b(?:zero|slow\w*|gradual\w*)\b|慢慢|缓慢|慢"),
    ),
    _Kind(  # a sample seen again is known better; where validation falls, too, nothing is lost
        (
            regex(r"(?ai)\bepochs?\b|轮"),
            regex(
                r"(?ai)\bsteps? down|in steps|\b(?:a )?step down|stair\w*|boundar\w+|台阶|阶梯|"
                r"楼梯"
            ),
            regex(
                r"(?ai)(?:\bval\w*|\beval\w*|验证)[^，,.;?。？]{0,16}(?:\bfall\w*|\bdecreas\w*|"
                r"\bdrop\w*|\bimprov\w*|降)"
            ),
        ),
        regex(
            r"(?ai)\bris(?:es|ing)\b(?<!nothing rises)|\bincreas\w*|\bwors\w*|\bgo(?:es|ing) up|"
            r"accuracy|上升|在升|涨|变差|过拟合|准确率"
        ),
        regex(r"(?ai)\bleak\w*|\bbugs?\b|泄[漏露]"),
    ),
    _Kind(  # a policy that learns gets surer of itself
        (
            regex(r"(?ai)entropy|熵"),
            regex(r"(?ai)\bslow\w*|gradual\w*|steadily|慢|逐渐|缓"),
            regex(r"(?ai)\brewards?\b|奖励"),
            regex(rf"(?ai){_RISING}"),
            regex(r"(?ai)\beval\w*|\bvalid\w*|\btest\b|验证|评测|测试"),
        ),
        regex(
            r"(?ai)repeat|\b(?:near|to|close to|almost) (?:zero|0(?:\.0\d*)?)(?![\d.])|"
            r"same answer|identical|重复|降到0(?!\.[1-9])|都一样|接近0"
        ),
        regex(r"(?ai)\b(?:slow\w*|collaps\w*)\b|坍[塌缩]|崩塌|慢慢|缓慢|慢"),
    ),
    _Kind(
        (
            regex(r"(?ai)\b(?:throughput|speed|tokens?/s\w*|it/s|faster)\b|吞吐|速度"),
            regex(
                r"(?ai)\b(?:throughput|speed|tokens?/s\w*|it/s)\b[^,.;?]{0,16}\b(?:up|ris\w+|"
                r"rose|increas\w*|higher|improv\w*)\b|"
                r"\bfaster\b|(?:速度|吞吐)[^，。？]{0,10}(?:快|升|涨|提高)"
            ),
            regex(
                r"(?ai)identical|the same|unchanged|nothing (?:else )?changed|没(?:有)?(?:改|"
                r"变)|一样|不变|正常"
            ),
        ),
        regex(
            r"(?ai)\bfaster on|used to be faster|was faster|\bbut\b|slower|skip|以前(?:更)?快|"
            r"之前(?:更)?快|但|变慢"
        ),
        regex(r"问题|担心"),
    ),
)
_SIZE = r"(\d+(?:\.\d+)?)\s?\+?\s?(?:gi?b?|g)\b"
_SIZES = regex(rf"(?ai){_SIZE}")
_FOLDER_SIZE = regex(
    rf"(?ai)(?:folder|director\w+|目录|文件夹|checkpoint|ckpt|检查点)(?: is| has| takes|有|占|"
    rf"大小|是|\s){{1,3}}{_SIZE}"
)
_FOLDER = regex(r"(?ai)checkpoint|ckpt|检查点")
_SAVED_WHOLE = regex(r"(?ai)\b(?:folder|director\w+|size)\b|目录|文件夹|大小")
_SAVED_BADLY = regex(
    r"(?ai)\b(?:fails?|failed|error|incomplete|cannot|can't|missing|grows?|disk|quota|full|"
    r"load\w*)\b|失败|报错(?!了吗)|不完整|加载|磁盘|满|缺"
)
# bf16 weights alone are 2 bytes a parameter; with fp32 master weights and both moments 14 (16 with
# gradients): a folder with the optimizer is up to 8 times the weights.
STATE_RATIO = (2.0, 8.5)


_CHECKS = regex(r"(?ai)\b(?:just|only) (?:checking|asking|curious)\b")


def expected(text: str) -> bool:
    """Whether a text asks about what any sound run does, and complains of nothing else."""
    return (asks(text) or _CHECKS.search(text) is not None) and (
        any(_is(kind, text) for kind in _KINDS) or _holds_the_optimizer(text)
    )


def _is(kind: _Kind, text: str) -> bool:
    if kind.never.search(text) or not all(one.search(text) for one in kind.needs):
        return False
    return not any(
        complains(kind.words.sub(" ", part))
        for part in _ASKED.split(text)
        if not _DOUBT.search(part)
    )


_ASKED = regex(r"(?<=[.!?;])\s|,\s(?=(?:is|are|should) )|[。！？；\n]")
# A question whether it is bad names no trouble.
_DOUBT = regex(
    r"(?ai)^\W*(?:is|are|should|do|does|any reason|can)\b[^.]*\?|(?:是|有)(?:不是)?(?:bug|问题|"
    r"哪里)|正常吗|吗[？?]?\s*$"
)


def _holds_the_optimizer(text: str) -> bool:
    """Whether a checkpoint's folder is as much larger than the weights as the optimizer makes it."""
    if not (_FOLDER.search(text) and _SAVED_WHOLE.search(text)) or _SAVED_BADLY.search(text):
        return False
    own = _FOLDER_SIZE.search(text)
    sizes = sorted(float(found[1]) for found in _SIZES.finditer(text))
    least, most = STATE_RATIO
    if own is not None and float(own[1]) == sizes[0]:
        return False
    return len(sizes) == 2 and sizes[0] > 0 and least <= sizes[1] / sizes[0] <= most
