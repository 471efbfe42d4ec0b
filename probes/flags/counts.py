"""Plain numbers of nodes, tasks and ports in a command."""

from __future__ import annotations

_DIGITS = 9  # more is no count of anything


def count_of(text: str | None) -> int | None:
    """The number that a text is; None for anything else."""
    plain = text.strip() if text is not None else ""
    return int(plain) if plain.isdecimal() and len(plain) <= _DIGITS else None
