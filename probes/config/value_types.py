"""What a key of YAML has to be, where its framework declares a number or a switch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from medic.i18n import Text
from medic.run_config import Setting
from medic.text.patterns import regex

from .keys import Framework, Keys
from .value_kinds import is_open
from .values import as_number

_NUMBERS = ("number", "converted-number", "converted-whole")
_SWITCHES = ("switch", "converted-switch")
_A_NUMBER = Text("a number", "是数字")
_A_PLAIN_NUMBER = Text("a number without quotes (this is text)", "是不带引号的数字（现为字符串）")
_A_NUMBER_OR = Text("a number, or {word} in small letters", "是数字，或小写的 {word}")
_A_WHOLE = Text("a whole number", "是整数")
_A_SWITCH = Text("true or false", "为 true 或 false")
_WORDS = frozenset("true yes on 1 t y false no off 0 f n".split())  # noqa: SIM905
_NOTHING = frozenset(("none", "null", "auto", "~", ""))
_NO_NUMBERS = _NOTHING | _WORDS | {"inf", "infinity", "nan"}
# Words that some number or other is worked out for.
_SOME_WORDS = _NO_NUMBERS | frozenset(
    ("max", "min", "all", "default", "dynamic", "same", "full", "random")
)
# A parser takes a word behind a switch (transformers HfArgumentParser, string_to_bool).
_PARSED = "words-for-switches"
_DIGIT = regex(r"\d")
_WORD = regex(r"[A-Za-z]{3,}")
# What is counted, in the names of settings: a part of one is none.
_COUNTED = frozenset(
    ("step", "samples", "workers", "size", "length", "len", "layers", "heads", "gpus", "nodes",
     "iters", "tokens", "dim", "seed", "port", "processes", "machines", "replicas", "hysteresis", "stage")
)  # fmt: skip
# Names of numbers in every framework that has them.
_NUMBERED = frozenset(("seed", "random_seed", "num_workers", "dataloader_num_workers"))
_NOT_COUNTED = frozenset(("epochs", "cycles", "warmup", "scale", "ratio", "factor", "penalty"))
_SLIPPED = regex(r"[-+]?\d[\d.]*(?:[eE][-+]?\d*)?[A-Za-z]?,?")


def declared_single(own: Keys, every: Mapping[str, Keys]) -> Collection[tuple[str, ...]]:
    """The whole paths of the keys that are declared as one number or one switch, by the framework
    or by one that it builds on."""
    return {
        path
        for keys in _with_bases(own, every)
        for path, kind in keys.kinds.items()
        if kind in (*_NUMBERS, *_SWITCHES)
    }


def _with_bases(own: Keys, every: Mapping[str, Keys]) -> Iterator[Keys]:
    yield own
    bases = [*own.framework.builds_on, *own.framework.hands_on]
    yield from (every[name] for name in bases if name in every)


def _kind_of(setting: Setting, every: Mapping[str, Keys]) -> str:
    """The kind that is declared for the whole path, "" for none."""
    own = every.get(setting.origin.framework)
    declared: Iterable[Keys] = () if own is None else _with_bases(own, every)
    found = (keys.kinds[setting.path] for keys in declared if setting.path in keys.kinds)
    anywhere = own is not None and setting.path[-1] in _NUMBERED
    return next(found, "converted-number" if anywhere else "")


def wrong_type(setting: Setting, every: Mapping[str, Keys]) -> Text | None:
    """What the value has to be; None where it is that, or may be filled in."""
    value, syntax = setting.value, setting.origin.syntax
    if value is None or syntax not in ("yaml", "toml", "shell", "json"):
        return None
    kind = _kind_of(setting, every)
    if syntax == "shell":
        own = every.get(setting.origin.framework)
        parsed = kind in _SWITCHES and own is not None and _PARSED in own.framework.traits
        return _switch(setting) if parsed else _of_a_flag(value, kind)
    if kind in _NUMBERS and _is_part(value, setting.path[-1]):
        return _A_WHOLE
    if kind in _NUMBERS and _is_word(value):
        return _A_NUMBER
    if kind in _NUMBERS and _is_word_of(value, every[setting.origin.framework].framework):
        return _A_NUMBER_OR.fill(word=str(value).lower())
    if syntax == "json":
        return None  # the rest is told with the types of JSON and TOML
    if kind in _SWITCHES:
        return _switch(setting)
    if syntax == "toml" and (not isinstance(value, str) or as_number(value) is not None):
        return None  # told with the types of JSON and TOML
    return _number(value, kind) if kind in _NUMBERS else None


def _number(value: object, kind: str) -> Text | None:
    if isinstance(value, bool):
        return _A_NUMBER if value else None  # what is off counts as 0
    if kind == "converted-whole" and isinstance(value, float) and not value.is_integer():
        return _A_WHOLE
    if not isinstance(value, str) or value.lower() in _NOTHING:
        return None
    if is_open(value.replace("%", "").replace(" ", "")) or not _DIGIT.search(value):
        return None
    if as_number(value) is not None and "," not in value:
        return _A_PLAIN_NUMBER if kind == "number" else None
    return _A_NUMBER


def _is_part(value: object, name: str) -> bool:
    """``2.5`` of what is counted; a share of the run is below 1."""
    words = name.split("_")
    counts = words[0] == "num" or words[-1] in _COUNTED  # no length_penalty
    part = isinstance(value, float) and value > 1 and not value.is_integer()
    return part and counts and _NOT_COUNTED.isdisjoint(words)


def _is_word(value: object) -> bool:
    text = value.strip() if isinstance(value, str) else ""
    return _WORD.fullmatch(text) is not None and text.lower() not in _SOME_WORDS


def _is_word_of(value: object, framework: Framework) -> bool:
    """Whether a value is a word that the framework fills in, in other letters: it is compared as it
    is written."""
    text = value.strip() if isinstance(value, str) else ""
    return text not in framework.auto_words and text.lower() in framework.auto_words


def _of_a_flag(value: object, kind: str) -> Text | None:
    """A word behind a flag is text until the parser converts it: ``8k``, ``10e``."""
    if kind not in _NUMBERS or not isinstance(value, str) or is_open(value):
        return None
    word = value.isalpha() and value.lower() not in _NO_NUMBERS
    return _A_NUMBER if word or _SLIPPED.fullmatch(value) is not None else None


def _switch(setting: Setting) -> Text | None:
    value = setting.value
    if isinstance(value, str):
        word = value.strip().lower()
        filled = is_open(word.replace(" ", ""))  # two words are no place to be filled in
        return None if word in _WORDS or word in _NOTHING or filled else _A_SWITCH
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return _A_SWITCH if number and value not in (0, 1) else None
