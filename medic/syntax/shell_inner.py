"""Scripts inside a word: what ``bash -c '…'``, ``ssh host "…"`` and ``--wrap="…"`` run.

The inner script is read in place, with every byte where it stands in the file; what is around it
is blanked. Escapes of double quotes are undone and the bytes they leave are made up for by blanks
behind the word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from medic.facts import Word

if TYPE_CHECKING:
    import tree_sitter

MAX_INNER = 40
MAX_AROUND = 256 * 1024  # a larger file is read without its inner scripts
SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
_COMMAND_FLAG = re.compile(r"^-[a-z]*c$")
_WRAP = "--wrap="
_OUTSIDE = re.compile(rb"[^\n]")
_ESCAPED = re.compile(rb'\\(["\\$`])')
_CHUNK = re.compile(rb"[^ \t\n]+")
_LITERAL_BLANK = re.compile(rb"[ \t\n]")


def inner_node(words: Sequence[Word], node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The string that holds a script, if a command whose words are these runs it."""
    if node.type in ("string", "raw_string"):
        last = [PurePath(word.value).name for word in words[-4:] if word.value]
        shell = len(last) > 1 and not SHELLS.isdisjoint(last[:-1])
        if shell and _COMMAND_FLAG.match(last[-1]):
            return node
        return node if len(words) > 1 and _is(words[:1], "ssh") else None
    if node.type == "concatenation" and node.named_child_count == 2 and _is(words[:1], "sbatch"):
        first, second = node.named_children
        wrapped = bytes(first.text or b"") == _WRAP.encode()
        return second if wrapped and second.type in ("string", "raw_string") else None
    return None


def _is(first: Sequence[Word], program: str) -> bool:
    return any(PurePath(word.value).name == program for word in first if word.value)


def inner_body(body: bytes, node: tree_sitter.Node) -> bytes | None:
    """``body`` with all but the inner script blanked; None for what is no script of its own."""
    start, end = node.start_byte + 1, node.end_byte - 1
    if len(body) > MAX_AROUND or end <= start:
        return None
    text = body[start:end]
    if not _LITERAL_BLANK.search(text.strip()):
        return None
    if node.type == "string":
        text = _CHUNK.sub(lambda found: _unescaped(found[0]), text)
    before, after = _OUTSIDE.sub(b" ", body[:start]), _OUTSIDE.sub(b" ", body[end:])
    return before + text + after


def _unescaped(chunk: bytes) -> bytes:
    """The chunk as the outer shell hands it on, as long as before."""
    return _ESCAPED.sub(rb"\1", chunk).ljust(len(chunk))


def handed_on(word: Word, *, quoted_twice: bool) -> Word:
    """A word of an inner script. The outer shell fills in what single quotes keep from the inner
    one, so such a value is not known."""
    if quoted_twice and word.value is not None and "$" in word.value:
        return Word(word.span, word.raw, None, word.literal)
    return word
