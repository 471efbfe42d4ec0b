"""Values of the run that a person states in words: "8 GPUs per node", "seq len 4096", 每节点 8 卡."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from medic.errors import UsageError
from medic.field_words import NAMES, PHRASES
from medic.given import typed
from medic.i18n import Text
from medic.patterns import regex
from medic.run_config import FIELDS, Scalar

if TYPE_CHECKING:
    from re import Pattern

MAX_LENGTH = 600  # characters; what is longer is a report or a paste, and is read as such
_NUMBER = r"[-+]?\d[\d,_]*(?:\.\d+)?(?:e[-+]?\d+)?"
_UNIT = r"(?: ?(?:[kmbt]|thousand|million|billion|trillion)(?![a-z0-9])| ?[万亿千])?"
_SIZES = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9, "t": 1e12,
    "trillion": 1e12, "千": 1e3, "万": 1e4, "亿": 1e8,
}  # fmt: skip
_DIGITS = "零一二三四五六七八九十两"
_BINARY = ("sequence_length", "max_position_embeddings", "vocab_size")  # 4k of these is 4096
_LINK = (
    r"(?: ?(?:==?|:|：) ?| (?:is|are|was|of|to|at|on|set to|equals) |"
    r" ?(?:改成|改为|设置为|设为|设成|等于|大小为|是|为|用) ?| )"
)
_WRITTEN = r" ?(?:==?|:|：) ?| (?:is|set to) | ?(?:是|为|设为|设成) ?"
_WORDS = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32"}
_SWITCHES = {
    "true": True, "on": True, "yes": True, "enabled": True, "开": True, "开启": True, "是": True,
    "false": False, "off": False, "no": False, "disabled": False, "关": False, "关闭": False,
    "否": False,
}  # fmt: skip
_ASKED = regex(
    r"[?？]\s*$|吗|^\s*(?:how|what|why|should|can|could|is|are|does|do|if|which)\b", re.I
)
# Words that say nothing more beside a value.
_FILLER = regex(
    r"(?:\b(?:we|i|it|the|an?|our|my|this|that|each|every|there|have|has|had|is|are|was|were|"
    r"uses?|used|using|with|and|on|in|of|for|running?|runs?|training|job|nodes?|machines?|servers?|cpu|gpu|"
    r"total|so|about|also|only|just|set|to|both|at|model|per|all|by)\b|"
    r"我们|我|我的|的|是|有|用了?|了|本次|本|该|这个|这次|这|每|台|个|节点|机器|服务器|训练|任务|模型|"
    r"一共|总共|共|和|与|且|及|在|上|里|大约|约|配置|设置|[\s,.;:，。；、：!！])*",
    re.I,
)


class Stated(NamedTuple):
    """A canonical field, the value that the words give it, and those words."""

    field: str
    value: Scalar
    quote: str


def stated(text: str) -> tuple[Stated, ...]:
    """The values in a text, in its order; a field that is given two values has none.

    Nothing where the text asks, or is longer than people type.
    """
    return tuple(item for item, _ in _found(text))


def only_states(text: str) -> bool:
    """Whether the text says nothing but values."""
    found = _found(text)
    rest, at = "", 0
    for _, (start, end) in found:
        rest, at = f"{rest}{text[at:start]} ", end
    return bool(found) and _FILLER.fullmatch(rest + text[at:]) is not None


def called(name: str) -> Text:
    """What a canonical field is called."""
    meaning = FIELDS[name][2]
    return Text(meaning.en.split(";")[0], meaning.zh.split("，")[0])


def shown(name: str, value: Scalar) -> Text:
    """A field in words with its value."""
    number = isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10_000
    return Text("{what} = {value}", "{what} = {value}").fill(
        what=called(name), value=f"{value:,}" if number else value
    )


# --- reading --------------------------------------------------------------------------------


Place = tuple[int, int]


def _found(text: str) -> Sequence[tuple[Stated, Place]]:
    if len(text) > MAX_LENGTH or _ASKED.search(text):
        return ()
    every = sorted(_all(text), key=lambda one: (one[1][0] - one[1][1], one[1][0]))
    kept: list[tuple[Stated, Place]] = []
    for one in every:  # the longest first: "min lr" is no "lr"
        if all(one[1][1] <= start or end <= one[1][0] for _, (start, end) in kept):
            kept.append(one)
    values: dict[str, set[str]] = {}
    for item, _ in kept:
        values.setdefault(item.field, set()).add(repr(item.value))
    once = [one for one in kept if len(values[one[0].field]) == 1]
    return tuple(sorted(once, key=lambda one: one[1]))


def _all(text: str) -> Iterator[tuple[Stated, Place]]:
    for field, pattern in _patterns():
        for hit in pattern.finditer(text):
            raw = next((group for group in hit.groups() if group), "")
            value = _value(field, raw)
            if value is not None:
                yield Stated(field, value, hit.group().strip()), hit.span()


def _value(field: str, raw: str) -> Scalar:
    """The value as its field takes it; None where it takes no such value."""
    word = raw.strip().strip("\"'`").rstrip(".,;，。；")
    kind, unit, _ = FIELDS[field]
    if kind is bool:
        return _SWITCHES.get(word.lower())
    word = _word(word, unit) if kind is str else _number(field, word)
    try:
        value: Scalar = typed(field, word)
    except UsageError:
        return None
    return value


def _word(word: str, unit: str) -> str:
    """One of a few words as the field spells it; free text stays."""
    return _WORDS.get(word.lower(), word.lower()) if "|" in unit else word


def _number(field: str, word: str) -> str:
    if word in _DIGITS:
        return "2" if word == "两" else str(_DIGITS.index(word))
    parts = re.fullmatch(rf"({_NUMBER}) ?(\S*)", word, re.I)
    if parts is None or not parts[2]:
        return word.replace(",", "").replace("_", "")
    size = _SIZES.get(parts[2].lower(), 0.0)
    if parts[2].lower() == "k" and field in _BINARY:
        size = 1024
    number = float(parts[1].replace(",", "").replace("_", "")) * size
    return str(int(number)) if number == int(number) else repr(number)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, Pattern[str]], ...]:
    return tuple((field, re.compile(_pattern(field), re.I)) for field in FIELDS)


def _pattern(field: str) -> str:
    """A number in a phrase, or a name before its value."""
    kind, unit, _ = FIELDS[field]
    title = called(field)
    own = [field.replace("_", " "), re.escape(title.en.lower()), re.escape(title.zh.lower())]
    names = "|".join([*own, *NAMES.get(field, ())])
    if kind in (int, float):
        value, link = f"({_NUMBER}{_UNIT})", _LINK
    elif kind is bool:
        value, link = f"({'|'.join(_SWITCHES)})", _LINK
    elif "|" in unit:
        value, link = f"({'|'.join([*unit.split('|'), *_WORDS])})", _LINK
    else:
        value, link = r"([^\s,;，；。]+)", _WRITTEN
    parts = [rf"(?<![a-z0-9_.])(?:{names})(?:{link})?{value}(?![a-z0-9_.]*[a-z0-9_])"]
    if kind is str and "|" not in unit:
        parts = [rf"(?<![a-z0-9_.])(?:{names})(?:{link}){value}"]
    for phrase in PHRASES.get(field, ()):
        # Chinese is written with and without blanks around a number.
        blank = "" if phrase.isascii() else " ?"
        number = phrase.replace("#", f"{blank}({_NUMBER}{_UNIT}|[{_DIGITS}]){blank}")
        parts.append(rf"(?<![a-z0-9_.+-]){number}(?![a-z0-9])")
    return "|".join(parts).replace("\\ ", " ").replace(" ?", r"[\s_-]*").replace(" ", r"[\s_-]+")
