"""Values that a person states and that no run can have: they are told, and not taken."""

from __future__ import annotations

import re
from functools import lru_cache

from medic.i18n import Text, plain
from medic.run_config import FIELDS
from medic.text.patterns import regex
from medic.told.stated import (
    ASKED,
    MAX_LENGTH,
    Place,
    called,
    names_of,
    says_only,
    spelled,
    written,
)
from medic.told.value_words import AT_LEAST_ONE, NUMBER, UNIT, value_of

# As a setting is written; "the learning rate is nan" tells of a run.
_SET = (
    r"(?:\s*(?:==?|:|：)\s*|\s+(?:(?:is\s+)?set\s+)?to\s+|\s*(?:设置为|设为|设成|改成|改为|等于)\s*|"
    r"(?:\s+is|\s*是|\s*为)?\s*(?=-\d))"
)
_NO_NUMBER = r"[-+]?(?:nan|inf(?:inity)?)"
_WORD = r"[^\W\d][\w-]*"
_LEFT_OPEN = r"(?:auto|none|null|default|unset|true|false|on|off|yes|no)"  # no number, and meant so
# Without one of these no field is set: the patterns of all fields take a quarter of a second to compile.
_SETS = regex(rf"{_SET}(?:{_NO_NUMBER}|{NUMBER})|=[ \t]*{_WORD}", re.IGNORECASE)
# Frameworks take -1 of these for "not limited".
_UNLIMITED = ("total_steps", "epochs", "warmup_steps")
NOT_TAKEN = Text("{what} = {value} is not taken: {must}.", "未采纳 {what} = {value}：{must}。")
WHOLE = Text("it must be a whole number, 0 or more", "应为不小于 0 的整数")
AT_LEAST = Text("it must be a whole number, 1 or more", "应为不小于 1 的整数")
NO_NUMBER = Text("it is not a number", "不是数字")
FINITE = Text("it must be a finite number, 0 or more", "应为不小于 0 的有限数值")


def refused(text: str) -> tuple[list[Text], str]:
    """What is told of the values in a text that their fields do not take, and the text without
    them, "" where it says nothing else."""
    if len(text) > MAX_LENGTH or "\n" in text.strip() or ASKED.search(text):
        return [], text
    if not _SETS.search(text):
        return [], text
    found = sorted(_found(text), key=lambda one: one[1][0] - one[1][1])
    told: dict[Place, Text] = {}
    for field, (start, end), value in found:  # the longest first, as what is taken
        if all(end <= a or b <= start for a, b in told):
            words = {"what": called(field), "value": plain(value), "must": _must(field, value)}
            told[start, end] = NOT_TAKEN.fill(words)
    places = sorted(told)
    rest = "" if says_only(text, places) else text
    for start, end in reversed(places if rest else ()):
        rest = f"{rest[:start]}{rest[end:]}"
    return [told[place] for place in places], rest.strip(" ,;，；")


def _must(field: str, value: str) -> Text:
    if re.fullmatch(_WORD, value) and not re.fullmatch(_NO_NUMBER, value, re.IGNORECASE):
        return NO_NUMBER
    if field in AT_LEAST_ONE:
        return AT_LEAST
    return WHOLE if FIELDS[field][0] is int else FINITE


def _found(text: str) -> list[tuple[str, Place, str]]:
    found = [
        (field, hit.span(), hit[1] or hit[2])
        for field, pattern in _patterns()
        for hit in pattern.finditer(text)
    ]
    found += [(field, hit.span(), raw) for field, raw, hit in written(text) if raw[:1] == "-"]
    return [
        (field, place, value)
        for field, place, value in found
        if value_of(field, value) is None and not (field in _UNLIMITED and value == "-1")
    ]


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    numeric = [name for name, (kind, _, _) in FIELDS.items() if kind in (int, float)]
    return tuple((name, re.compile(_pattern(name), re.IGNORECASE)) for name in numeric)


def _pattern(field: str) -> str:
    names = spelled(rf"(?<![a-z0-9_.])(?:{names_of(field)})")
    return rf"{names}(?:{_SET}({_NO_NUMBER}|{NUMBER}{UNIT})(?![\w.%])|[ \t]*==?[ \t]*(?!{_LEFT_OPEN}\b)({_WORD})\s*$)"
