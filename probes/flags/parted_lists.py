"""A list that blanks part into several words: ``--split 949, 50, 1``, ``logger=['wandb', 'console']``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Launch, Word
from medic.i18n import Text
from medic.text.patterns import regex

from .arguments import VALUE, Fault

_FLAG = regex(r"--?[A-Za-z][\w.-]*")
_OPENED = regex(r"(\+{0,2}[A-Za-z_][\w.]*)=\[[^\]]*,")
_NUMBER_AND_COMMA, _NUMBER = regex(r"-?[\d.]+,"), regex(r"-?[\d.]+")
_MANY = 8  # words of such a list at most
_LIST = Text(
    "{key}: a blank ends the word, and {word} is a word of its own: quotes, or no blanks, keep the list "
    "together",
    "{key}：空格会断开这个词，{word} 成了单独的词；加引号或去掉空格才是一个列表",
)


def parted_lists(launch: Launch) -> Iterator[Fault]:
    """Only of words that are written out: a quoted blank is none."""
    words = launch.arguments
    for at, word in enumerate(words[:-1]):
        rest = words[at + 1 : at + 1 + _MANY]
        opened = _OPENED.fullmatch(word.value or "")
        if opened is not None and _closes(rest):
            yield _fault(opened[1], rest[0])
        elif _FLAG.fullmatch(word.value or "") and _is_list(rest):
            yield _fault(word.value or "", rest[1])


def _closes(rest: Sequence[Word]) -> bool:
    """Whether one of the next words, none of which states a key, ends the list."""
    for word in rest:
        text = word.value or ""
        if not text or "=" in text or "[" in text:
            return False
        if text.endswith("]"):
            return True
    return False


def _is_list(rest: Sequence[Word]) -> bool:
    """``949, 50, 1``: each but the last ends in a comma."""
    texts = [word.value or "" for word in rest]
    count = next((i for i, text in enumerate(texts) if not _NUMBER_AND_COMMA.fullmatch(text)), 0)
    return 0 < count < len(texts) and _NUMBER.fullmatch(texts[count]) is not None


def _fault(key: str, word: Word) -> Fault:
    return Fault(VALUE, _LIST.fill(key=key, word=word.value or ""), word.literal or word.span, key)
