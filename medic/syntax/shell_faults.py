"""What makes a shell refuse a script: a block or a quote that nothing closes.

The grammar of tree-sitter stumbles over some valid scripts too, so only these two are told.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from medic.patterns import regex
from medic.syntax.treesitter import first_error

if TYPE_CHECKING:
    import tree_sitter

_OPENS = {"fi": "if", "done": "do", "esac": "case", "}": "{"}
_HEREDOC = regex(rb"<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1")
_NEXT = regex(rb"\\.|['\"]|(?<![^\s;&|(])#[^\n]*|<<-?[ \t]*['\"]?[A-Za-z_]\w*['\"]?", re.DOTALL)
_IN_DOUBLE = regex(rb"\\.|\"|\$\(", re.DOTALL)


def unclosed(root: tree_sitter.Node, body: bytes) -> tuple[str, int, int] | None:
    """(what is open, its closing word missing; first and last byte of where that shows)."""
    error = first_error(root) if root.has_error else None
    if error is None:
        return None
    if error.is_missing and error.type in _OPENS:
        start = _opening(error, _OPENS[error.type])
        return f"{_OPENS[error.type]} … {error.type}", start, start + 1
    at = _open_quote(body)
    return (body[at : at + 1].decode(), at, at + 1) if at is not None else None


def _opening(missing: tree_sitter.Node, word: str) -> int:
    """Where the block begins that lacks its end."""
    parent = missing.parent
    first = next((c for c in parent.children if c.type == word), None) if parent else None
    found = first or parent or missing
    return found.start_byte


def _open_quote(body: bytes) -> int | None:
    """The first byte of a quote that reaches the end of the script; None if all are closed."""
    at = 0
    while found := _NEXT.search(body, at):
        word, at = found.group(), found.end()
        if word == b"'":
            dollar = body[found.start() - 1 : found.start()] == b"$"
            end = _single_end(body, at, escapes=dollar)
        elif word == b'"':
            end = _double_end(body, at)
        elif word.startswith(b"<<"):
            end = _heredoc_end(body, found.start())
        else:
            continue
        if end is None:
            return found.start()
        at = end
    return None


def _single_end(body: bytes, at: int, *, escapes: bool) -> int | None:
    pattern = rb"(?:[^'\\]|\\.)*'" if escapes else rb"[^']*'"
    found = re.compile(pattern, re.DOTALL).match(body, at)
    return found.end() if found else None


def _double_end(body: bytes, at: int) -> int | None:
    """Behind the closing quote. One with ``$(`` inside may nest quotes: it counts as closed."""
    while found := _IN_DOUBLE.search(body, at):
        at = found.end()
        if found.group() == b'"':
            return at
        if found.group() == b"$(":
            return len(body)
    return None


def _heredoc_end(body: bytes, at: int) -> int:
    found = _HEREDOC.match(body, at)
    if found is None:
        return at + 2
    end = re.compile(rb"^[ \t]*" + found.group(2) + rb"[ \t\r]*$", re.MULTILINE).search(
        body, found.end()
    )
    return end.end() if end else found.end()
