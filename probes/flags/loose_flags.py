"""Options in the lists of a script that no launch is seen to be given: of another branch, of a text
that a job or a container runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Launch, Word
from medic.run_config import Span
from medic.text.patterns import regex

from .masked import COMMENT, MASK
from .script_text import ScriptText

_OPENS = regex(r"^\s*(?:(?:local|export|readonly|declare\s+-\w+)\s+)*([A-Za-z_]\w*)\+?=\(")
_WORD = regex(r"'[^']*'|(?:\"(?:[^\"\\]|\\.)*\"|[^\s\"'()])+")
_ADDED = regex(r"^\"?\$\{\w+\[@\]\}\"?$")  # another list, to which this one adds
_PROGRAM = regex(
    r"\bpython3?\s+(?:-[um]\s+)*(\S*?[\w-]+\.py)\b|"
    # of a launcher, whose options stand between, also in lines of their own
    r"\b(?:torchrun|torch\.distributed\.(?:run|launch)|deepspeed|accelerate\s+launch)\b"
    r"(?:\s+(?!-m\s)[^\s;|&#]+){0,60}?\s+(?:-m\s+([A-Za-z_][\w.]*)|(\S*?[\w-]+\.py)\b)"
)
MAX_LISTS = 200


def loose_lists(script: ScriptText, launches: Sequence[Launch]) -> list[list[Word]]:
    """The words of each list of options that no launch has, in the order of the script."""
    read = {place for one in launches for w in one.arguments for place in _places(w)}
    found = []
    for words in _lists(script):
        flags = [word for word in words if word.raw.startswith("--")]
        seen = any((word.span.line, word.span.column) in read for word in flags)
        own = [word for word in words if not _ADDED.match(word.raw)]
        if flags and own[0] is flags[0] and not seen:
            found.append(own)
    return found[:MAX_LISTS]


def program_in(script: ScriptText) -> str:
    """The only Python file that the text names as a program; "" where there are several."""
    found = (match[1] or match[2] or match[3] for match in _PROGRAM.finditer(script.text))
    named = {one.rpartition("/")[2] for one in found}
    return named.pop() if len(named) == 1 else ""


def _places(word: Word) -> Iterator[tuple[int, int]]:
    for span in (word.span, word.literal):
        if span is not None:
            yield span.line, span.column


def _lists(script: ScriptText) -> Iterator[list[Word]]:
    """The words of each ``NAME=( … )`` and ``NAME+=( … )``."""
    number, last = 0, len(script.code)
    while number < last:
        match = _OPENS.match(script.code[number])
        number += 1
        if match is None or number in script.documents:
            continue
        words: list[Word] = []
        start = match.end()
        for line in range(number, last + 1):
            code = script.code[line - 1]
            end = code.find(")", start)
            words += _words(script, line, start, len(code) if end < 0 else end)
            number, start = line, 0
            if end >= 0:
                yield words
                break


def _words(script: ScriptText, line: int, start: int, end: int) -> Iterator[Word]:
    text, code = script.line_text(line), script.code[line - 1]
    for found in _WORD.finditer(text, start, end):
        if code[found.start()] in (COMMENT, MASK) or found[0] == "\\":
            continue
        span: Span = script.span(line, found.start() + 1, found.end() + 1)
        bare = found[0].strip("\"'")
        yield Word(span, found[0], None if "$" in bare or "`" in bare else bare)
