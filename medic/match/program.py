"""Lines of a pasted text that are a Python program's, and what of them can be read as one."""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, TypeVar

from medic.text.patterns import regex

# What no configuration file has: a call whose result is kept or thrown away, an import, the head of a
# definition or of a loop. A call is of a name with a dot or a capital, or has a keyword: prose has
# brackets, too.
_STATEMENT = regex(
    r"^\s*(?:(?:from [\w.]+ )?import [A-Za-z_]|(?:async )?def \w+\(|class \w+[(:]|@\w[\w.]*(?:\(|\s*$)|"
    r"(?:with|for|while|if|elif) .+:\s*(?:#.*)?$|else:\s*$|try:\s*$|"
    r"[\w.]+(?:\s*,\s*[\w.]+)*\s*=\s*(?:await )?[A-Za-z_][\w.]*\(|"
    r"(?:[A-Za-z_]\w*\.)+[a-z_]\w*\((?:.*\)\s*$|\s*$)|[A-Z]\w*[a-z]\w*\(\s*$)"
)
# What is Python's only beside such a line: a name and a value.
_ASSIGNED = regex(r"^\s*[A-Za-z_][\w.\[\]'\"]*\s*(?::\s*[\w\[\], ]+)?[-+*/]?=\s*\S")
_INDENTED = regex(r"^\s+\S")
_STRING = regex(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|#.*$")
K = TypeVar("K", bound=str)
MAX_STATEMENT = 200  # lines of one call; a longer one is no call that a person wrote
MAX_LINES = 2000  # of a text in which programs are looked for: a longer one is a log or a file


def statements(lines: Sequence[str]) -> frozenset[int]:
    """Numbers of the lines, from 0, that belong to a Python statement: a call to its last bracket,
    what is indented below the head of a block, assignments right beside these."""
    found: set[int] = set()
    if len(lines) > MAX_LINES:
        return frozenset()
    for number, line in enumerate(lines):
        if number not in found and len(line) <= 500 and _STATEMENT.match(line):
            found.update(range(number, _end(lines, number)))
    for order in (range(len(lines)), range(len(lines) - 1, -1, -1)):
        step = order.step
        for number in order:
            beside = number - step in found
            if beside and number not in found and _ASSIGNED.match(lines[number][:500]):
                found.update(range(number, _end(lines, number)))
    return frozenset(found)


def without_code(lines: Sequence[str], kinds: Sequence[K]) -> list[K | Literal["log", "prose"]]:
    """The kinds of lines, where none that is Python's is called a setting: below a frame of a
    traceback it is the log's, else it is shown for what it says."""
    out: list[K | Literal["log", "prose"]] = list(kinds)
    for n in sorted(statements(lines)):
        if kinds[n] == "config":
            framed = n > 0 and out[n - 1] == "log" and _INDENTED.match(lines[n]) is not None
            out[n] = "log" if framed else "prose"
    return out


def _end(lines: Sequence[str], first: int) -> int:
    """The line after a statement: that on which its last bracket closes."""
    depth = 0
    for number in range(first, min(first + MAX_STATEMENT, len(lines))):
        bare = _STRING.sub("", lines[number])
        depth += sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
        if depth <= 0:
            return _block(lines, number) if bare.rstrip().endswith(":") else number + 1
    return first + 1


def _block(lines: Sequence[str], head: int) -> int:
    """The line after the indented lines below the head of a block."""
    margin = len(lines[head]) - len(lines[head].lstrip())
    last = head
    for number in range(head + 1, min(head + MAX_STATEMENT, len(lines))):
        line = lines[number]
        if line.strip():
            if len(line) - len(line.lstrip()) <= margin:
                break
            last = number
    return last + 1


def program(lines: Sequence[str]) -> str:
    """The blocks of a program in them that Python's grammar takes, each at its own line; empty if
    none."""
    out = [""] * len(lines)
    for block in _blocks(lines, statements(lines)):
        text = textwrap.dedent("\n".join(lines[n] for n in block))
        if _is_python(text):
            for n, line in zip(block, text.split("\n"), strict=False):
                out[n] = line
    return "\n".join(out).rstrip()


def _blocks(lines: Sequence[str], numbers: frozenset[int]) -> Iterator[range]:
    """Neighbouring lines of a program; blank ones between them part nothing."""
    told = [n for n, line in enumerate(lines) if line.strip()]
    for own, group in groupby(told, key=numbers.__contains__):
        if own:
            block = list(group)
            yield range(block[0], block[-1] + 1)


def _is_python(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
