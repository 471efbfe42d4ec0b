"""What a value of a script is computed from: ``DP=$((WORLD / 8))`` rests on ``WORLD=${WORLD:-1}``.

Followed through the assignments of the script, as they are written: what the shell made of the
value is known, and only the names are asked for whose defaults it was made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from medic.run_config import Span
from medic.syntax.shell_environment import given
from medic.text.patterns import regex

_LARGEST = 1 << 20  # bytes of a script; a longer one is generated, and asks nobody
_MAX_NAMES = 50
_SUM = b"$(("
# In a sum a name is a variable without its $.
_NAME = regex(rb"\$\{?([A-Za-z_]\w*)|(?<![\w$.])([A-Za-z_]\w*)")
_ASKED = regex(rb"\$\{([A-Za-z_]\w*):?[-=]")
_VALUE = rb"(\"[^\"\n]*\"|(?:\$\(\([^\n]*?\)\)|\$\{[^}\n]*\}+|[^\s;&|\"'])*)"
_SET = rb"(?:(?<![\w$\"'{-])%s=" + _VALUE + rb"|(\$\{%s:?=[^\n]*?\}+))"


def defaults_under(span: Span) -> tuple[str, ...]:
    """The variables that are not set whose defaults a sum is made of, where the value at ``span``
    is a sum or made of one; none for a value that is written out.
    """
    try:
        text = Path(span.file).read_bytes()
    except (OSError, ValueError):  # gone since it was read, or no file
        return ()
    if _SUM not in text or len(text) > _LARGEST:
        return ()
    names = tuple(dict.fromkeys(_names(text, span)))
    return () if any(given(name) for name in names) else names


def _names(text: bytes, span: Span) -> Iterator[str]:
    """Only what stands under a sum: a default that is taken as it is, is what the script states."""
    todo = [(text[span.start : span.end], span.start, False)]
    seen = set[tuple[bytes, bool]]()
    while todo and len(seen) < _MAX_NAMES:
        part, before, summed = todo.pop()
        summed |= _SUM in part
        asked = {match[1] for match in _ASKED.finditer(part)}
        for match in _NAME.finditer(part):
            name = match[1] or (match[2] if _SUM in part else b"")
            if not name or (name, summed) in seen:
                continue
            seen.add((name, summed))
            found = _last(text, name, before)
            if found is None:
                if summed and name in asked:
                    yield name.decode()
                continue
            value, at = found
            own = name in {one[1] for one in _ASKED.finditer(value)}
            if own and summed and _last(text, name, at) is None:
                yield name.decode()
            todo.append((value, at, summed))


def _last(text: bytes, name: bytes, before: int) -> tuple[bytes, int] | None:
    """(what a variable is set to, where) by the last assignment above a place."""
    pattern = re.compile(_SET % (name, name))
    found = None
    for match in pattern.finditer(text, 0, before):
        found = match
    return (found[1] or found[2] or b"", found.start()) if found is not None else None
