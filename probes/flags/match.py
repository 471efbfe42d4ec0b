"""The words after a script against the options that its parser knows, by the rules of argparse."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medic.facts import Option, ParserSpec, Word
from medic.records import dataclass
from medic.run_config import Span
from medic.text.patterns import regex

_NEGATIVE_NUMBER = regex(r"^-(?:\d+|\d*\.\d+)(?:[eE][-+]?\d+)?$")
NOWHERE = Span("", 0, 0, 0, 0, 0, 0)
_TRUE = frozenset({"true", "yes", "on", "t", "y", "1"})
_FALSE = frozenset({"false", "no", "off", "f", "n", "0"})


@dataclass(frozen=True)
class Unknown:
    """A flag that the parser does not know; ``value`` is the word given with it."""

    word: Word
    flag: str
    value: str | None = None
    could_be: tuple[str, ...] = ()  # an abbreviation of several options


@dataclass(frozen=True)
class WithValue:
    """A value given to an option that takes none."""

    word: Word
    flag: str
    value: str
    option: Option


@dataclass(frozen=True)
class Match:
    unknown: tuple[Unknown, ...] = ()
    with_value: tuple[WithValue, ...] = ()
    used: frozenset[str] = frozenset()  # names of the options that are given
    unread: bool = False  # a word that only the running shell knows stands among them


@dataclass(frozen=True)
class Known:
    """A word that the parser takes for an option, with what stands after ``=``."""

    option: Option
    explicit: str | None = None


def boolean(text: str) -> bool | None:
    """What a word says as a switch: true, false, or neither."""
    lower = text.lower()
    return True if lower in _TRUE else False if lower in _FALSE else None


def classify(text: str, spec: ParserSpec) -> Known | Unknown | None:
    """What argparse takes a word for; None for a value or positional argument."""
    if not text.startswith("-") or text == "-":
        return None
    names = {n: o for o in spec.options for n in o.names if n.startswith("-")}
    if text in names:
        return Known(names[text])
    flag, sign, explicit = text.partition("=")
    if sign and flag in names:
        return Known(names[flag], explicit)
    word = Word(NOWHERE, text, text)
    near = _abbreviated(text, names, prefixes=spec.prefixes)
    options = {id(known.option): known for known in near.values()}
    if len(options) == 1:
        return _joined(text, next(iter(options.values())), names)
    if near:
        return Unknown(word, flag, explicit if sign else None, tuple(near))
    if _NEGATIVE_NUMBER.match(text) or " " in flag:
        return None
    return Unknown(word, flag, explicit if sign else None)


def _abbreviated(text: str, names: dict[str, Option], *, prefixes: bool) -> dict[str, Known]:
    flag, sign, explicit = text.partition("=")
    found: dict[str, Known] = {}
    if text.startswith("--"):
        if prefixes:
            for name, option in names.items():
                if name.startswith(flag):
                    found[name] = Known(option, explicit if sign else None)
        return found
    for name, option in names.items():
        if name == text[:2]:
            # -n4; or several switches in one word: -vv
            found[name] = Known(option, text[2:] if option.takes != "none" else None)
        elif name.startswith(text):
            found[name] = Known(option)
    return found


def _joined(text: str, first: Known, names: dict[str, Option]) -> Known | Unknown:
    """``-vx``: several switches in one word; a letter that is none of them is unknown."""
    if text.startswith("--") or first.option.takes != "none" or text[:2] not in first.option.names:
        return first
    rest = text[2:]
    while rest:
        following = names.get("-" + rest[0])
        if following is None:
            flag = "-" + rest.partition("=")[0]
            return Unknown(Word(NOWHERE, text, text), flag)
        if following.takes != "none":
            break
        rest = rest[1:]
    return first


class _Matcher:
    def __init__(self, words: Sequence[Word], spec: ParserSpec) -> None:
        self.words = words
        self.spec = spec
        self.unknown: list[Unknown] = []
        self.with_value: list[tuple[WithValue, bool]] = []  # and whether it is a word of its own
        self.used: set[str] = set()
        self.plain = 0
        self.unread = False

    def match(self) -> Match:
        at = 0
        switch: tuple[Word, str, Option] | None = None
        while at < len(self.words):
            word = self.words[at]
            text = word.value if word.value is not None else _known_part(word)
            at += 1
            if text is None:
                self.unread, switch = True, None
                continue
            if text == "--":
                self.plain += len(self.words) - at
                break
            found = classify(text, self.spec)
            if found is None:
                self._plain_word(text, switch)
                switch = None
            elif isinstance(found, Unknown):
                at, switch = self._unknown(word, found, at), None
            else:
                at, switch = self._known(word, text, found, at)
        return self._result()

    def _plain_word(self, text: str, switch: tuple[Word, str, Option] | None) -> None:
        self.plain += 1
        if switch is not None:
            word, flag, option = switch
            self.with_value.append((WithValue(word, flag, text, option), True))

    def _unknown(self, word: Word, found: Unknown, at: int) -> int:
        value, end = found.value, at
        while end < len(self.words) and self._is_plain(self.words[end]):
            if value is None:
                value = self.words[end].value or self.words[end].raw
            end += 1
        self.unknown.append(Unknown(word, found.flag, value, found.could_be))
        return end

    def _known(
        self, word: Word, text: str, found: Known, at: int
    ) -> tuple[int, tuple[Word, str, Option] | None]:
        option = found.option
        self.used.update(option.names)
        flag = text.partition("=")[0]
        if option.takes == "none":
            if found.explicit is not None:
                self.with_value.append((WithValue(word, flag, found.explicit, option), False))
            return at, (word, flag, option) if found.explicit is None else None
        if found.explicit is not None:
            return at, None
        limit = len(self.words) if option.takes == "many" else at + 1
        while at < min(limit, len(self.words)) and self._is_plain(self.words[at]):
            at += 1
        return at, None

    def _is_plain(self, word: Word) -> bool:
        """Whether a word can be a value: no option, or not known before the shell runs."""
        if word.value is None:
            return _known_part(word) is None
        return word.value != "--" and classify(word.value, self.spec) is None

    def _result(self) -> Match:
        # A stray word may be a positional argument, if the parser has any.
        positional = [o for o in self.spec.options if not o.names[0].startswith("-")]
        room = len(positional) if all(o.takes == "value" for o in positional) else self.plain
        return Match(
            tuple(self.unknown),
            tuple(w for w, stray in self.with_value if not stray or self._is_stray(w, room)),
            frozenset(self.used),
            self.unread,
        )

    def _is_stray(self, found: WithValue, room: int) -> bool:
        return self.plain > room and (not room or boolean(found.value) is not None)


def match(words: Sequence[Word], spec: ParserSpec) -> Match:
    """Unknown flags and values of switches among a script's arguments."""
    return _Matcher(words, spec).match()


def _known_part(word: Word) -> str | None:
    """``--lr=$LR``: the flag is known though its value is not."""
    flag, sign, _ = word.raw.partition("=")
    if sign and re.fullmatch(r"--?[\w.-]+", flag):
        return f"{flag}=$"
    return None
