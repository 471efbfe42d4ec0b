"""An answer in words to the choices that are open: "dunno", "yes", the words of an option."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .events import Choices

SHORTEST = 4  # characters of the beginning of an option that stand for it
LONGEST = 2000  # characters; no option and no answer has more, and a paste may have millions
YES, NO = ("present", "yes", "fires", "read"), ("absent", "no", "passes", "later")
_YES_WORDS = frozenset(
    ("y", "yes", "yep", "yeah", "yes it does", "yes it is", "是", "是的", "有", "有的", "对")
)
_NO_WORDS = frozenset(
    ("n", "no", "nope", "no it does not", "no it is not", "否", "不是", "没有", "没", "无")
)
_NOT_KNOWN = frozenset(
    (
        "i don't know", "i dont know", "i do not know", "don't know", "dont know", "do not know",
        "dunno", "i dunno", "idk", "no idea", "i have no idea", "no clue", "not sure",
        "i'm not sure", "im not sure", "i am not sure", "unsure", "can't tell", "cannot tell",
        "skip", "skip it", "skip this", "pass",
        "不知道", "我不知道", "不清楚", "我不清楚", "不太清楚", "不确定", "我不确定", "不太确定",
        "不晓得", "不了解", "说不准", "跳过", "略过",
    )
)  # fmt: skip
_EDGES = " \t.,;:!。，；：！~～…"


def place_of(words: str, choices: Choices) -> int | None:
    """The index of the option that the words stand for; None where they are no answer."""
    said = _plain(words)
    own = _by_its_words(said, choices)
    if own is not None:
        return own
    if choices.kind == "answer" and said in _NOT_KNOWN:
        return choices.place("")
    if says_yes_or_no(words):
        return choices.place(*(YES if said in _YES_WORDS else NO))
    return None


def says_yes_or_no(words: str) -> bool:
    """Whether the words are "yes" or "no" and nothing else."""
    return _plain(words) in _YES_WORDS | _NO_WORDS


def says_not_known(words: str) -> bool:
    """Whether the words are "I don't know" and nothing else."""
    return _plain(words) in _NOT_KNOWN


def only_answers(words: str) -> bool:
    """Whether the words answer a question and say nothing by themselves."""
    return says_yes_or_no(words) or says_not_known(words)


def _by_its_words(said: str, choices: Choices) -> int | None:
    """The option with these words, or the only one that begins with them."""
    titles = [(_plain(title.en), _plain(title.zh)) for _, title in choices.options]
    same = [i for i, title in enumerate(titles) if said in title]
    if not same and len(said) >= SHORTEST:
        same = [i for i, title in enumerate(titles) if any(t.startswith(said) for t in title)]
    return same[0] if len(same) == 1 else None


def _plain(words: str) -> str:
    """Without case, typographic apostrophes, and what stands around the words."""
    if len(words) > LONGEST:
        return words
    return " ".join(words.casefold().replace("\u2019", "'").strip(_EDGES).split())
