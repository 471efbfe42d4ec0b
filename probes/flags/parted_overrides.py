"""Overrides of a command that are no ``key=value``: the = is missing, or blanks stand around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Launch, Repair, Respelt, Word
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Edit, Span
from medic.text.patterns import regex

from .argument_repairs import without_word

_KEY = r"\+{0,2}[a-z_]\w*(?:\.[A-Za-z_]\w*)+"
_OVERRIDE = regex(rf"{_KEY}=.+")
_BARE, _EMPTY = regex(_KEY), regex(rf"({_KEY})=")
_PLAIN = regex(r"[A-Za-z0-9_][\w.-]*")
_DASHED = regex(rf"--?({_KEY})=.*")
# Names of files and modules have dots as well.
_FILE = regex(r".*\.(?:py|sh|ya?ml|json|jsonl|parquet|txt|log|csv|pt|pth|bin|npz?|toml|md|db)")
_MANY = 6  # of these one with dashes is no flag of another parser
_ENOUGH = 3  # a command with so many overrides takes nothing else
_NO_SIGN = Text(
    "{key} {value}: an override is one word, {key}={value}",
    "{key} {value}：覆盖项应写成一个词 {key}={value}",
)
_BLANK = Text(
    "a blank behind {key}=: the key gets nothing, and {value} is a word of its own",
    "{key}= 后有空格：该键取值为空，{value} 成了单独的参数",
)
_BLANK_BEFORE = Text(
    "a blank before =: {key} is a word of its own; an override is one word, {key}{value}",
    "= 前有空格：{key} 成了单独的参数；覆盖项应写成一个词 {key}{value}",
)
_STRAY = Text(
    "{word}: a word too many, Hydra takes nothing but overrides (key=value)",
    "{word}：多余的词，Hydra 只接受覆盖项（key=value）",
)
_DASHES = Text(
    "{word}: an override has no dashes, the program knows no such flag",
    "{word}：覆盖项前不加横线，程序没有这个选项",
)
_WHY = Text("one word without dashes", "一个词，不加横线")


@dataclass(frozen=True)
class Parted:
    """An override that is none: what is wrong, where, and the word that is meant."""

    what: Text
    span: Span
    raw: str
    repair: Repair | None


def parted(launch: Launch, *, hydra: bool) -> Iterator[Parted]:
    """Of commands that are made of overrides; ``hydra``: of a program that has no dotted flags
    (hydra.main: its own flags have no dots).
    """
    words = launch.arguments
    if sum(_OVERRIDE.fullmatch(word.raw) is not None for word in words) < _ENOUGH:
        return
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else None
        before = words[at - 1].raw if at else ""
        if _DASHED.fullmatch(word.raw) is not None:
            if hydra or _is_odd(word, words):
                yield _told(_DASHES.fill(word=word.raw), word, word, word.raw.lstrip("-"))
        elif hydra and _is_stray(words, at):
            yield Parted(
                _STRAY.fill(word=word.raw), word.span, word.raw, without_word(words[at - 1], word)
            )
        elif following is not None and not (before.startswith("-") and "=" not in before):
            yield from _in_two(word, following)


def _is_stray(words: Sequence[Word], at: int) -> bool:
    """Whether a plain word stands between two overrides, or behind the last one."""
    around = (*words[max(0, at - 1) : at], *words[at + 1 : at + 2])
    return (
        at > 0
        and words[at].value is not None
        and _PLAIN.fullmatch(words[at].raw) is not None
        and _BARE.fullmatch(words[at].raw) is None
        and all(_OVERRIDE.fullmatch(one.raw) is not None for one in around)
    )


def _is_odd(word: Word, words: Sequence[Word]) -> bool:
    """Whether a word alone has dashes among many of its block that have none."""
    block = word.raw.lstrip("-+").partition(".")[0]
    bare = [w.raw.lstrip("+") for w in words if _OVERRIDE.fullmatch(w.raw)]
    dashed = sum(_DASHED.fullmatch(w.raw) is not None for w in words)
    beside = any(one.startswith(f"{block}.") for one in bare)
    return dashed == 1 and len(bare) >= _MANY and beside


def _in_two(word: Word, following: Word) -> Iterator[Parted]:
    key, value = word.raw, following.raw
    if _BARE.fullmatch(key) is not None and _FILE.fullmatch(key) is None:
        if value.startswith("=") and len(value) > 1:
            what = _BLANK_BEFORE.fill(key=key, value=value)
            yield _told(what, word, following, key + value)
        elif _is_value(following):
            what = _NO_SIGN.fill(key=key, value=value)
            yield _told(what, word, following, f"{key}={value}")
    elif (
        (empty := _EMPTY.fullmatch(key)) is not None and word.value == key and _is_value(following)
    ):
        what = _BLANK.fill(key=empty[1], value=value)
        yield _told(what, word, following, key + value)


def _is_value(word: Word) -> bool:
    """Whether a word is no override, flag, or list of further arguments."""
    raw = word.raw
    quoted = raw[:1] in "\"'" and "$@" not in raw
    known = word.value is not None and bool(word.value)
    return (known or quoted) and "=" not in raw.partition("{")[0] and raw[:1] not in "-+~"


def _told(what: Text, first: Word, last: Word, text: str) -> Parted:
    one, other = first.span, last.span
    repair = None
    if one.file == other.file and one.start <= other.start and one.line == other.line:
        edit = Edit(one.file, one.start, other.end, text)
        repair = Repair((Respelt((edit,), joins=True),), safe=False, why=_WHY)
    return Parted(what, one, first.raw, repair)
