"""Whether a text is one that a model can learn from: not empty, not bytes, not garbled."""

from __future__ import annotations

import unicodedata
from typing import Literal

from medic.text.patterns import regex

Fault = Literal["", "empty", "null-word", "control-only", "base64-like", "garbled", "binary-like"]

# What pandas and Python write for a value that is not there (pandas.read_csv, ``na_values``).
_NULLS = frozenset({"nan", "NaN", "NAN", "null", "NULL", "None", "<NA>", "#N/A", "NaT"})
MAX_JUDGED = 20_000  # characters of a text; its character shows early
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
# Base64 and hexadecimal have no words: one unbroken run takes nearly all of the text.
_CODED = regex(r"[A-Za-z0-9+/_=-]{120,}")
_CODED_SHARE = 0.8
_BROKEN_CHARACTER = "�"
_BROKEN_SHARE = 0.01
# Text of one encoding read as another: UTF-8 as Windows-1252 gives runs like "Ã©" or "â€™".
_LATIN_RUN = regex(
    "[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc"
    "\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]{1,3}"
)
_HAN_RUN = regex("[\u4e00-\u9fff]{4,}[^\\s\u4e00-\u9fff]?")
_LOST = "锟斤拷"  # U+FFFD written as UTF-8 and read as GBK
_MOST_RUNS = 200
_GARBLED_SHARE = 0.05  # of the non-ASCII characters
_UNPRINTABLE_SHARE = 0.1


def fault_of(text: str) -> Fault:
    """What makes a text useless; "" for an ordinary one.

    Short words, numbers, code and any script are ordinary: only what no person wrote is not.
    """
    if not text.strip():
        return "empty"
    if len(text) < 16 and text.strip() in _NULLS:
        return "null-word"
    text = text[:MAX_JUDGED]
    if text.isascii() and text.isprintable():
        return "base64-like" if _is_coded(text) else ""
    if all(unicodedata.category(c) in _INVISIBLE for c in text):
        return "control-only"
    if _is_binary(text):
        return "binary-like"
    if is_garbled(text):
        return "garbled"
    return "base64-like" if _is_coded(text) else ""


def _is_coded(text: str) -> bool:
    """One unbroken run of base64 or hexadecimal characters that looks random."""
    if len(text) < 120:
        return False
    longest = max((m.end() - m.start() for m in _CODED.finditer(text)), default=0)
    if longest < _CODED_SHARE * len(text.strip()):
        return False
    # "aaaa…", a long word or a rule of dashes is no code: random ones use most of the alphabet.
    kinds = len(set(text))
    return kinds >= 14 and any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def _is_binary(text: str) -> bool:
    odd = sum(
        unicodedata.category(c) in ("Cc", "Cn", "Co", "Cs") and c not in "\n\r\t\f" for c in text
    )
    return odd > _UNPRINTABLE_SHARE * len(text)


def is_garbled(text: str) -> bool:
    """Mojibake: characters that only the wrong decoding of a text makes."""
    if _LOST in text or text.count(_BROKEN_CHARACTER) > max(2, _BROKEN_SHARE * len(text)):
        return True
    foreign = sum(not c.isascii() for c in text)
    if not foreign:
        return False
    wrong = 0
    for number, run in enumerate(_LATIN_RUN.findall(text)):
        if number >= _MOST_RUNS:
            break
        wrong += len(run) if _decodes(run, "cp1252") else 0
    for number, run in enumerate(_HAN_RUN.findall(text)):
        if number >= _MOST_RUNS:
            break
        wrong += len(run) if _decodes(run, "gbk") else 0
    return wrong >= 4 and wrong > _GARBLED_SHARE * foreign


def _decodes(run: str, encoding: str) -> bool:
    """Whether the run, written in ``encoding``, is UTF-8 by and large: chance does not do that."""
    # Windows-1252 leaves five bytes undefined; decoders pass them on as they are.
    raw = b"".join(
        c.encode("latin-1") if ord(c) < 0x100 else c.encode(encoding, "ignore") for c in run
    )
    for cut in (0, 1, 2):
        try:
            text = raw[: len(raw) - cut].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return len(text) < len(run) if encoding != "gbk" else bool(text) and not text.isascii()
    return False
