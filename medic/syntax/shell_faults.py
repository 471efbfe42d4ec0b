"""What makes bash refuse a script, at the place where it is to be mended.

Bash tells the line at which it gave up: the end of the file for a quote or a block that nothing
closes. The cause stands further up, at what was opened.
"""

from __future__ import annotations

import re

from medic.records import replace
from medic.syntax.shell_grammar import Scanner
from medic.syntax.shell_refusal import Refusal, Refused
from medic.text.patterns import regex

MAX_SCANNED = 256 * 1024
_OPENS_BEHIND = regex(r"[\s=({\[]")
_OPENS_BEFORE = regex(r"[^\s;&|)}\]]")
_APART = regex(rb"[ \t]*(?:export[ \t]+)?[A-Za-z_]\w*([ \t]*\+?=[ \t]*)")
_SETS = regex(r"\n[ \t]*(?:export[ \t]+)?[A-Za-z_]\w*\+?=$")
_PARTED = regex(rb"(?<=\s)(\d?)[ \t]*>[ \t]+&[ \t]*(\d)(?!\S)")  # 2 > &1
_RUNS = regex(r"\b(?:eval|echo|printf|ssh)\b|\s-\w*c\s")
_GOES_ON = regex(r"\w")


def refusal(body: bytes) -> Refusal | None:
    """Why bash refuses the script (places are bytes of ``body``); None where it does not, or where
    that is not certain."""
    if len(body) > MAX_SCANNED:
        return None
    text = body.decode("latin-1")  # a character a byte
    scanner = Scanner(text)
    try:
        scanner.commands(0, "")
    except Refused as found:
        return _placed(found.refusal, scanner)
    except RecursionError:
        return None
    if "eval" in text:  # whose text may hold anything
        return None
    turned = (s for s, e in _strings(scanner) if _ends_in_a_name(text, s, e))
    quote = next((start for start in turned if not _is_code(text, start)), None)
    return None if quote is None else Refusal("open", text[quote], quote, quote + 1)


def mend(body: bytes, found: Refusal) -> tuple[int, int, bytes] | None:
    """(start, end, text) of what makes the script one that bash reads to its end, if it is no more
    than a quote, ``then`` or ``do`` at the end of a line, or a word without blanks around it."""
    line = body.rfind(b"\n", 0, found.start) + 1
    end = body.find(b"\n", found.start)
    text = body[line : end if end >= 0 else len(body)].rstrip().removesuffix(b"\\").rstrip()
    at = line + len(text)
    candidate: tuple[int, int, bytes] | None = None
    if found.kind == "open" and found.word in ("'", '"'):
        candidate = at, at, found.word.encode()
    elif found.kind == "lacks" and found.word in ("then", "do"):
        word = found.word.encode()
        candidate = at, at, (b" " if text.endswith(b";") else b"; ") + word
        if text.endswith((b" " + word, b"\t" + word)):  # it is there, as an argument
            before = len(text[: -len(word)].rstrip())
            candidate = line + before, line + before, b";"
    elif found.kind == "document":
        word = found.word.encode("latin-1")
        alone = re.compile(rb"^[ \t]*" + re.escape(word) + rb"[ \t]*$", re.MULTILINE)
        near = alone.search(body, found.start)
        candidate = _bared(body, word, near) if near else None
    elif found.kind == "unexpected" and found.word == "&":
        parted = next((m for m in _PARTED.finditer(body, line) if m.end() > found.start), None)
        if parted is not None and parted.start() < found.start:
            candidate = parted.start(), parted.end(), b"%s>&%s" % (parted[1], parted[2])
    elif found.kind == "unexpected" and found.word == "(":
        apart = _APART.match(body, line)
        if apart is not None and apart.end() == found.start:
            candidate = apart.start(1), apart.end(1), apart[1].strip()
    if candidate is None:
        return None
    start, stop, new = candidate
    return candidate if refusal(body[:start] + new + body[stop:]) is None else None


def _bared(body: bytes, word: bytes, near: re.Match[bytes]) -> tuple[int, int, bytes]:
    """The blanks on one side of a word; the word alone where they stand on both."""
    start, end = near.span()
    at = body.index(word, start)
    if at + len(word) == end:
        return start, at, b""
    return (at + len(word), end, b"") if at == start else (start, end, word)


def _placed(found: Refusal, scanner: Scanner) -> Refusal | None:
    quote = _turned(found, scanner)
    if quote is not None:
        word = "${" if scanner.text[quote] == "$" else scanner.text[quote]
        return Refusal("open", word, quote, quote + len(word))
    if found.kind == "other":
        return None
    if found.kind == "open":
        return _innermost(found, scanner)
    return found


def _turned(found: Refusal, scanner: Scanner) -> int | None:
    """The first quote of several lines that ends at what looks like the beginning of another: from
    there on all quotes are turned inside out. An expansion ``${ }`` of several lines is none."""
    text = scanner.text
    for start, end in _strings(scanner):
        if start >= found.start:
            break
        if text[start] == "$":
            return start
        behind, before = text[end - 2 : end - 1], text[end : end + 1]
        turned = _OPENS_BEHIND.match(behind) and _OPENS_BEFORE.match(before)
        if turned or _GOES_ON.match(before) or _ends_in_a_name(text, start, end):
            return start
    return None


def _strings(scanner: Scanner) -> list[tuple[int, int]]:
    return sorted(scanner.strings)


def _ends_in_a_name(text: str, start: int, end: int) -> bool:
    """Whether the last line of a quote is ``NAME=``: its end is the beginning of another."""
    return text[start] != "$" and _SETS.search(text[start : end - 1]) is not None


def _is_code(text: str, start: int) -> bool:
    """Whether a text is handed to a shell, and may hold anything."""
    return _RUNS.search(text[text.rfind("\n", 0, start) + 1 : start]) is not None


def _innermost(found: Refusal, scanner: Scanner) -> Refusal:
    """Of blocks inside one another bash misses the end of the outermost: the one that lacks it is
    the first whose end is not indented as its beginning."""
    for word, start, end in scanner.pairs:
        if start <= found.start or word in ("(", "$("):
            continue
        if _alone(scanner.text, start) and _alone(scanner.text, end):
            indents = _indent(scanner.text, start), _indent(scanner.text, end)
            if indents[0] > indents[1]:
                return replace(found, word=word, start=start, end=start + len(word), other=None)
    return found


def _alone(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _indent(text: str, at: int) -> int:
    return at - (text.rfind("\n", 0, at) + 1)
