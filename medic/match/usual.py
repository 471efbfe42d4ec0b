"""What people ask about and any sound run does: a spike that heals, a first step that compiles.

Entries name all that a text must say, and what it must not: a text with any other word for trouble
is read as a complaint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from medic.index.knowledge import Index
from medic.match.sayings import Sayings, sayings_of
from medic.match.tone import asks, complains
from medic.text.patterns import regex

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


def expected(text: str, index: Index) -> bool:
    """Whether a text asks about, or tells, what any sound run does, and complains of nothing else."""
    asked = asks(text) or _CHECKS.search(text) is not None
    kinds = index.raw.get("usual", {}).values()
    return any(
        is_usual(kind, text, sayings_of(index)) for kind in kinds if asked or kind.get("unasked")
    ) or (asked and _holds_the_optimizer(text))


def is_usual(kind: Mapping[str, Sequence[str]], text: str, say: Sayings) -> bool:
    """Whether a text says what an entry is about, and has no other word for trouble."""
    if any(say.says(name, text) for name in kind.get("not_when", ())):
        return False
    if not all(say.says(name, text) for name in kind["when"]):
        return False
    return not any(
        complains(say.without(kind.get("words", ()), part))
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
