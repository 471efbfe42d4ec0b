"""What was pasted, as text that a person could have typed."""

from __future__ import annotations

from medic.text.patterns import regex
from medic.text.safetext import clean

# Colours and moves of the cursor, titles and links, and other short sequences (ECMA-48, xterm).
_SEQUENCE = regex(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?"
)


def readable(pasted: str) -> str:
    """One kind of line end, no escape sequences, no control characters."""
    text = pasted.replace("\r\n", "\n").replace("\r", "\n")
    return clean(_SEQUENCE.sub("", text) if "\x1b" in text else text)
