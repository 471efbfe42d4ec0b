"""Lines between the steps which say that sequences are longer from now on."""

from __future__ import annotations

from medic.text.patterns import regex

# "curriculum: sequence length is now 128"; a length that is stated once at the start is no change.
_LONGER = regex(
    r"(?i)(?:sequence|seq|context)[ _-]?(?:length|len|window)\b[^\n]{0,40}?"
    r"(?:\bnow\b|->|=>|changed?|switch\w{0,3}|increas\w{1,3}|grows?|raised)[^\d\n]{0,20}(\d{2,8})\b"
)


def longer(message: str, lowered: str) -> dict[str, float]:
    """The length that sequences have from this line on; empty where it says nothing of that."""
    if ("len" not in lowered and "window" not in lowered) or "loss" in lowered:
        return {}
    found = _LONGER.search(message)
    return {"sequence_length": float(found[1])} if found else {}
