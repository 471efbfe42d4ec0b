"""Text from logs and files is hostile: nothing that steers a terminal may reach it."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from medic.text.patterns import regex

# C0 but newline, DEL, C1, bidi controls, zero-width and other invisible format characters.
_UNSAFE = regex(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_MARKUP = regex(r"([\\`*_<>\[\]#|])")
MOST_WORD = 24  # columns that a word may take which is left out for being cut
MOST_TOLD = 2000  # characters of one message
# More marks on one letter than any script needs overflow the line above and below.
_MARK_RANGES = ("\u0300-\u036f", "\u0483-\u0489", "\u1ab0-\u1aff", "\u20d0-\u20ff")
_MARKS = regex(f"([{''.join(_MARK_RANGES)}]{{3}})[{''.join(_MARK_RANGES)}]+")


def _symbol(match: re.Match[str]) -> str:
    char = match.group()
    code = ord(char)
    if char == "\t":
        return "    "
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code < 0xA0:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}"


def clean(text: str) -> str:
    """The text with every control character shown as a symbol; newlines stay."""
    seen = text if text.replace("\n", "").isprintable() else _UNSAFE.sub(_symbol, text)
    return seen if seen.isascii() or _marks().isdisjoint(seen) else _MARKS.sub(r"\1", seen)


@cache
def _marks() -> frozenset[str]:
    """What ``_MARKS`` looks for: bars and Han have none, and the pattern costs a start."""
    ranges = (range(ord(one[0]), ord(one[-1]) + 1) for one in _MARK_RANGES)
    return frozenset(chr(code) for codes in ranges for code in codes)


def one_line(text: str, width: int = 0) -> str:
    """Cleaned text on one line, cut to ``width`` columns with an ellipsis (0: not cut); no number
    and no word is cut in two, unless it takes half of the line."""
    flat = clean(text.replace("\r\n", "\n").replace("\n", "\u23ce"))
    if not width or columns(flat) <= width:
        return flat
    kept = cut(flat, width)[:-1]
    last_word = _LAST_ASCII_WORD if flat.isascii() else _LAST_WORD
    if last_word.match(flat[len(kept)]):
        whole = last_word.sub("", kept)
        kept = whole if columns(whole) * 2 >= width else kept
    return kept.rstrip() + "\u2026"


def excerpt(text: str, start: int, end: int, width: int) -> str:
    """``one_line`` in which the characters from ``start`` to ``end`` are seen: what stands before
    them is cut where the line is too long for both, and of more than a line the middle."""
    usual = one_line(text, width)
    if not 0 <= start < end <= len(text) or end <= _kept(usual, text):
        return usual
    telling = one_line(text[start:end])
    if columns(telling) > width - 2:
        half = (width - 3) // 2
        return f"{cut(telling, half)[:-1].rstrip()} \u2026 {cut_left(telling, half)[1:].lstrip()}"
    rest = one_line(text[end:])
    room = width - 2 - columns(telling)
    before = cut_left(one_line(text[:start]), max(room - min(columns(rest), room // 3), 1) + 1)
    if before.startswith("\u2026") and " " in before[1:MOST_WORD]:
        before = "\u2026" + before[before.index(" ") :]  # no word is cut in two
    shown = before + telling
    return one_line(shown + rest, width) if columns(shown) < width else shown


def _kept(shown: str, text: str) -> int:
    """How many characters of a text are shown before its end was cut."""
    return len(text) if not shown.endswith("\u2026") else len(shown) - 1


def for_markdown(text: str) -> str:
    """Cleaned text on one line in which Markdown sees no markup."""
    return _MARKUP.sub(r"\\\1", one_line(text))


def shortened(text: str) -> str:
    """A message without the middle of what is too long to be read: an argument told back."""
    if len(text) <= MOST_TOLD:
        return text
    half = MOST_TOLD // 2
    return f"{text[:half]} \u2026 {text[-half:]}"


def columns(text: str) -> int:
    """Terminal columns that a text takes: wide East Asian characters take two."""
    if text.isascii():
        return len(text)
    return sum(_width(c) for c in text)


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, width: int) -> str:
    """At most ``width`` columns of a text, with an ellipsis where it was cut."""
    if columns(text) <= width:
        return text
    used, kept = 0, []
    for char in text:
        used += _width(char)
        if used > width - 1:
            break
        kept.append(char)
    return "".join(kept) + "\u2026"


def cut_left(text: str, width: int) -> str:
    """At most ``width`` columns of a path: its end, which tells most."""
    if columns(text) <= width:
        return text
    used, at = 1, len(text)
    while at and used + _width(text[at - 1]) <= width:
        at -= 1
        used += _width(text[at])
    return "\u2026" + text[at:]


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` columns; breaks at spaces and between Han characters, but not
    within code between backticks, nor, beside Han characters, within a short phrase of Latin
    words."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line, used = "", 0
        for piece in _pieces(paragraph, width):
            if used + columns(piece) > width and line.strip():
                lines.append(line.rstrip())
                line = piece.lstrip()
                used = columns(line)
            else:
                line, used = line + piece, used + columns(piece)
        lines.append(line.rstrip())
    return lines


_FIRST_HAN = "\u2e80"
_HAN = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
# No line begins with one of these: they stay with what is before them. A dot or colon before a
# name is the beginning of it: .item(), :4096:8.
_CLOSING = (
    r"(?:[\u3001\u3002\uff01\uff09\uff0c\uff1a\uff1b\uff1f\u201d]|[,.:;!?)](?![A-Za-z0-9_/]))"
)
# None ends with one of these: they stay with what follows.
_OPENING = r"\uff08\u201c\u300a\u3010"
_CODE = r"`[^`\n]+`"
_LATIN = rf"[^\s`{_HAN}]+(?: [^\s`{_HAN}]+)*"
_PIECE = regex(rf"\s+|[{_OPENING}]*(?:{_CODE}|{_LATIN}|[{_HAN}]){_CLOSING}*|[{_OPENING}`]")
_LAST_WORD = regex(rf"[^\s{_HAN}]+$")
_LAST_ASCII_WORD = regex(r"\S+$")
_WORD = regex(r"\s+|\S+")
_WORD_OR_CODE = regex(rf"\s+|[^\s`]*{_CODE}[^\s`]*|\S+")


def _pieces(text: str, width: int) -> list[str]:
    # Without Han they are the same, and the long pattern takes 2 ms to compile.
    if max(text, default="") < _FIRST_HAN:
        return _within((_WORD_OR_CODE if "`" in text else _WORD).findall(text), width, width)
    return _within(_PIECE.findall(text), width // 2, width)


def _within(pieces: list[str], phrase: int, code: int) -> list[str]:
    """Pieces of several words only where they take no more than so many columns."""
    found: list[str] = []
    for piece in pieces:
        most = code if "`" in piece else phrase
        several = " " in piece.strip() and columns(piece) > most
        found += _WORD.findall(piece) if several else [piece]
    return found
