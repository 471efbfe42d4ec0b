"""Fields that the flags of a command state."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from medic.facts import Word
from medic.records import dataclass, replace
from medic.run_config import MORE, Origin, Setting, Span
from medic.text.patterns import regex

from ...flags.launchers import LAUNCHER_OPTIONS
from ..carriers import Carrier
from ..keys import Found, Keys, parts_of
from ..values import UNKNOWN, Written, as_bool, canonical, leaves_default, read_scalar
from . import IN_BACKWARD

_FLAG = regex(r"--?[A-Za-z][\w.-]*")
_PAIR = regex(r"\+{0,2}([A-Za-z_][\w.@/-]*)=")
_OFF = ("no-", "no_", "disable-", "disable_")
# A word that is nothing but an expansion, and names of variables that hold flags.
_EXPANSION = regex(r"\"?(?:\$[A-Za-z_]\w*|\$\{[A-Za-z_][^}]*\}|\$\(.*\)|`.*`)\"?", re.DOTALL)
_HOLDS_FLAGS = regex(r"(?i)args|arguments|opts|options|flags|extra|\[[@*]\]|\$\(|`")


@dataclass(frozen=True)
class Flag:
    """A flag with its value, or ``value`` None for one that stands alone or is not known."""

    name: str
    value: str | None
    span: Span
    alone: bool = False
    name_span: Span | None = None


def flags(words: Sequence[Word]) -> list[Flag]:
    """The flags of a command, each once: of a repeated one the last counts.

    Read are ``--name value``, ``--name=value``, ``--name`` and the overrides ``a.b=value``.
    """
    found: dict[str, Flag] = {}
    at = 0
    while at < len(words):
        word = words[at]
        following = words[at + 1] if at + 1 < len(words) else None
        flag, used = _flag(word, following)
        at += used
        if flag is not None:
            found.pop(flag.name, None)
            found[flag.name] = flag
    return list(found.values())


def in_full(words: Sequence[Word], launcher: str) -> Sequence[Word]:
    """The options of a launcher by their whole names: its parser takes the beginning of one for it
    (``--nnode 1``; argparse, unless allow_abbrev is off as in accelerate's)."""
    if launcher not in ("torchrun", "deepspeed"):
        return words
    return [_in_full(word, LAUNCHER_OPTIONS[launcher]) for word in words]


def _in_full(word: Word, options: Collection[str]) -> Word:
    name, sign, value = (word.value or "").partition("=")
    begun = name.removeprefix("--").replace("_", "-")
    whole = [option for option in options if option.startswith(begun)]
    if not name.startswith("--") or begun in options or len(whole) != 1:
        return word
    return replace(word, value=f"--{whole[0]}{sign}{value}")


def _flag(word: Word, following: Word | None) -> tuple[Flag | None, int]:
    text = word.value if word.value is not None else word.raw
    pair = _PAIR.match(text)
    dashes = _FLAG.match(text)
    if pair is not None or (dashes is not None and text[dashes.end() :].startswith("=")):
        name, _, value = text.partition("=")
        known = value if word.value is not None else None
        return Flag(
            name.lstrip("+"), known, _value_span(word, name), name_span=_name_span(word, name)
        ), 1
    if dashes is None or dashes.end() != len(text):
        return None, 1
    if following is not None and not _is_flag(following):
        span = following.literal or following.span
        return Flag(text, following.value, span, name_span=word.literal or word.span), 2
    return Flag(text, None, word.span, alone=True, name_span=word.literal or word.span), 1


def _is_flag(word: Word) -> bool:
    text = word.value if word.value is not None else word.raw
    return text.startswith("--") or bool(re.match(r"-[A-Za-z]", text))


def _name_span(word: Word, name: str) -> Span | None:
    """The bytes of ``name`` in a word ``name=value``."""
    if word.literal is not None or not word.raw.startswith(f"{name}="):
        return None
    end = word.span.start + len(name.encode())
    column = word.span.column + len(name)
    return replace(word.span, end=end, end_line=word.span.line, end_column=column)


def _value_span(word: Word, name: str) -> Span:
    """The bytes of what follows ``name=`` in a word."""
    if word.literal is not None:
        return word.literal
    skip = len(name) + 1
    if not word.raw.startswith(f"{name}="):
        return word.span
    start = word.span.start + len(name.encode()) + 1
    return replace(word.span, start=start, column=word.span.column + skip)


def carriers(words: Sequence[Word], keys: Keys) -> list[Carrier]:
    """Every flag that states a canonical field."""
    given = flags(words)
    on = {flag.name.lstrip("-").replace("-", "_") for flag in given if _is_on(flag)}
    found = [carrier for flag in given for carrier in _carriers(flag, keys, on)]
    if any(_steps_in_backward(flag) for flag in given):
        return [carrier for carrier in found if carrier.field != "gradient_clip"]
    return found


def settings(words: Sequence[Word], framework: str) -> tuple[Setting, ...]:
    """Every flag of the command; one that stands alone is true. ``MORE`` stands for unseen ones."""
    found = []
    for flag in flags(words):
        steps = parts_of([flag.name])
        place = flag.name_span
        origin = Origin("file", flag.span, "shell", steps, flag.name, framework, key_span=place)
        value = True if flag.alone else read_scalar(flag.value)
        whole = not isinstance(value, float) or (flag.value or "").lstrip("+-").isdecimal()
        found.append(Setting(steps, value, origin, "" if whole else flag.value or ""))
    more = (Origin("file", word.span, "shell", (), "", framework) for word in _open_words(words))
    return (*found, *(Setting((MORE,), None, origin) for origin in more))


def _open_words(words: Sequence[Word]) -> Iterator[Word]:
    """Words that may hold flags which only the running shell knows; not the value of a flag."""
    after_flag = False
    for word in words:
        hidden = word.value is None and _EXPANSION.fullmatch(word.raw) is not None
        if hidden and (not after_flag or _HOLDS_FLAGS.search(word.raw)):
            yield word
        after_flag = _is_flag(word)


def _steps_in_backward(flag: Flag) -> bool:
    named = parts_of([flag.name])[-1:]
    return bool(named) and named[0] in IN_BACKWARD and _is_on(flag)


def _is_on(flag: Flag) -> bool:
    return flag.alone or as_bool(Written(flag.value, flag.value)) is True


def _carriers(flag: Flag, keys: Keys, on: Collection[str]) -> Iterator[Carrier]:
    name = flag.name.lstrip("-")
    found: Sequence[Found] = [f for f in keys.find_flag(name) if f[1].not_beside not in on]
    written = Written(flag.value, flag.value, flag.value or "")
    if flag.alone:
        written = Written(True, True)
        off = next((word for word in _OFF if name.startswith(word)), "")
        if not found and off:
            found, written = keys.find_flag(name[len(off) :]), Written(False, False)
    elif flag.value is None:
        written = Written(None, None, UNKNOWN)
    yield from _stated(flag, found, written, keys)


def _stated(flag: Flag, found: Iterable[Found], written: Written, keys: Keys) -> Iterator[Carrier]:
    for rank, key in found:
        value = canonical(key, written, keys.framework.auto_words)
        if value is None and leaves_default(key, written):
            continue
        share = key.field == "warmup_steps" and isinstance(value, float)
        origin = Origin(
            source="file",
            span=flag.span,
            syntax="shell",
            path=(flag.name.lstrip("-"),),
            key=flag.name,
            framework=keys.framework.name,
            factor=key.factor,
        )
        yield Carrier(
            "warmup_ratio" if share else key.field, value, origin, rank, key.true_means is not None
        )
