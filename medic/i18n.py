"""Text in two languages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Literal

from medic.text.patterns import regex

_PLACEHOLDER = regex(r"\{([a-z_0-9]+)\}")
# A blank stands between Chinese and a Latin word or a number, and none between two Chinese words:
# which of them a value is, is known when it is filled in. A pattern with the range of Chinese
# characters takes as long to compile as a start has for twenty others.
_APART = regex(r"( ?)\{([a-z_0-9]+)\}( ?)")

Lang = Literal["en", "zh"]


class Text:
    """One text a user sees, in English and Chinese. ``{name}`` marks a value to fill in.

    A plain class: nearly every start loads it, and making a dataclass costs more than the rest.
    """

    __slots__ = ("en", "zh")

    def __init__(self, en: str, zh: str) -> None:
        self.en = en
        self.zh = zh

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and (self.en, self.zh) == (other.en, other.zh)

    def __hash__(self) -> int:
        return hash((self.en, self.zh))

    def __repr__(self) -> str:
        return f"Text({self.en!r}, {self.zh!r})"

    def get(self, lang: Lang) -> str:
        return self.zh if lang == "zh" else self.en

    def __str__(self) -> str:
        return self.get(current())

    def fill(self, values: Mapping[str, object] | None = None, **more: object) -> Text:
        """The same text with its placeholders replaced; a Text value is filled per language."""
        merged = {**(values or {}), **more}
        return Text(_fill(self.en, merged, "en"), _fill(self.zh, merged, "zh"))


def _fill(pattern: str, values: Mapping[str, object], lang: Lang) -> str:
    if "{" not in pattern:
        return pattern

    def value(found: re.Match[str]) -> str:
        name = found[1]
        return show(values[name], lang) if name in values else found[0]

    def apart(found: re.Match[str]) -> str:
        before, name, after = found[1], found[2], found[3]
        if name not in values:
            return found[0]
        shown = show(values[name], lang)
        if _is_word(pattern[found.start() - 1 : found.start()]) and _is_han(shown[:1]):
            before = ""
        if _is_word(pattern[found.end() : found.end() + 1]) and _is_han(shown[-1:]):
            after = ""
        return f"{before}{shown}{after}"

    return _APART.sub(apart, pattern) if lang == "zh" else _PLACEHOLDER.sub(value, pattern)


def _is_word(letter: str) -> bool:
    return "\u3400" <= letter <= "\u9fff"


def _is_han(letter: str) -> bool:
    return _is_word(letter) or letter in ("（", "）")


def show(value: object, lang: Lang) -> str:
    """A value as a reader wants it: thousands separated, floats short, Text in the language."""
    if isinstance(value, Text):
        return value.get(lang)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (tuple, list)):
        return ", ".join(show(v, lang) for v in value)
    return str(value)


def plain(text: str) -> Text:
    """A text that reads the same in both languages: a name, a number, a quoted line."""
    return Text(text, text)


def joined(texts: Iterable[Text]) -> Text:
    """Texts in a row, parted by semicolons."""
    parts = tuple(texts)
    return Text("; ".join(t.en for t in parts), "；".join(t.zh for t in parts))


_language: list[Lang] = []
_asked: list[Lang] = []


def use(lang: Lang) -> None:
    """Sets the language of this process, as it was asked for."""
    _language[:] = [lang]
    _asked[:] = [lang]


def speak(lang: Lang) -> None:
    """Sets the language for now: that of the last words, which nobody asked for."""
    _language[:] = [lang]


def follow(words: str) -> None:
    """Answers in Chinese where a person wrote Chinese and no language was asked for. English words
    change nothing: what is pasted is English in every country."""
    if not _asked and in_chinese(words):
        _language[:] = ["zh"]


def go_on_in(lang: str) -> None:
    """Answers in the language in which a talk was left, "" for that of the system, where no
    language was asked for."""
    if not _asked and lang in ("en", "zh"):
        _language[:] = ["zh" if lang == "zh" else "en"]


def of_the_system() -> None:
    """Answers in the language of the system again, where no language was asked for."""
    if not _asked:
        _language[:] = [detect()]


def in_chinese(words: str) -> bool:
    """Whether a tenth of the letters is Han: names and messages stay English in Chinese, too."""
    letters = [c for c in words if c.isalpha()]
    return bool(letters) and sum(map(_is_han, letters)) >= 0.1 * len(letters)


def current() -> Lang:
    """The language in use: set by ``use``, else the locale's."""
    if not _language:
        _language[:] = [detect()]
    return _language[0]


def detect() -> Lang:
    """The language of the locale: Chinese for any zh locale, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    import locale

    code = locale.getlocale()[0] or ""
    return "zh" if code.lower().startswith(("zh", "chinese")) else "en"
