"""Bash that the grammar does not know, in a form that it knows: every byte keeps its place.

Bash manual: coprocesses, reserved words, redirections, pattern matching, shell arithmetic.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from medic.syntax.treesitter import first_error, tree_of
from medic.text.patterns import regex

if TYPE_CHECKING:
    import tree_sitter

# Behind these words, and a name of its own, a block follows; without one the grammar reads a command.
_BEFORE_BLOCK = regex(
    rb"(?m)(?:^|(?<=[;&|({]))[ \t]*(coproc(?:[ \t]+[A-Za-z_]\w*)?|time[ \t]+-p)"
    rb"(?=[ \t]+(?:[{(]|(?:while|until|for|if|case|select)[ \t]))"
)
_READ_AND_WRITE = regex(rb"(?<=[\s\d}])<>(?=[ \t]*[/$\w\"'])")
_COMPARES = regex(rb"(?m)((?:^|[\s;&|!])\[[ \t][^\n\]]*[ \t])\\([<>])(?=[ \t])")  # [ a \< b ]
_CHUNK = regex(rb"[^\s;=]+")
# Words of bash at which the grammar stops: a group of patterns, a number with its base, and an
# expansion by a pattern, a part or an element.
_OF_BASH = regex(
    rb"[?*+@!]\(|\$\(\([^()]*\d#|\$\{[A-Za-z_]\w*(?:\[[^\]]*\])?(?:/|:[ \t]*[-(\d$]|##?|%%?|\^|,|@)"
)
_MAX_WORDS = 4  # that are read over; a script with more is another shell's


def known_forms(body: bytes) -> bytes:
    """The script with coprocesses and timed blocks as blocks, ``<>`` as a redirection, and ``\\<``
    of a test without its backslash."""
    if b"coproc" in body or b"time" in body:
        body = _BEFORE_BLOCK.sub(_without_word, body)
    if b"\\<" in body or b"\\>" in body:
        body = _COMPARES.sub(rb"\1 \2", body)
    return _READ_AND_WRITE.sub(b"> ", body) if b"<>" in body else body


def _without_word(found: re.Match[bytes]) -> bytes:
    return found[0].replace(found[1], b" " * len(found[1]))


def read_over(root: tree_sitter.Node, body: bytes) -> tree_sitter.Node:
    """The tree with a variable, which nobody knows, for each word of bash at which the grammar stops;
    ``root`` itself where it has other errors."""
    read = body
    found = root
    for _ in range(_MAX_WORDS):
        error = first_error(found)
        if error is None:
            return found
        line = read.rfind(b"\n", 0, error.start_byte) + 1
        words = _CHUNK.finditer(read, line, max(error.end_byte, read.find(b"\n", error.start_byte)))
        word = next((one for one in words if _is_of_bash(one[0])), None)
        if word is None:
            return root
        hidden = b"$" + b"x" * (len(word[0]) - 1)
        read = read[: word.start()] + hidden + read[word.end() :]
        found = tree_of("bash", read)
    return root if found.has_error else found


def _is_of_bash(word: bytes) -> bool:
    """Whether it is such a word, with all of its quotes."""
    whole = word.count(b'"') % 2 == word.count(b"'") % 2 == 0
    return whole and _OF_BASH.search(word) is not None
