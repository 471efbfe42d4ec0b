"""Bytes of a log line as text that is safe to keep: no escape sequence, no control character."""

from __future__ import annotations

from medic.text.patterns import regex

# CSI, then OSC/DCS/SOS/PM/APC strings, then two-byte escapes.
ESCAPES = regex(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?"
)
_CONTROLS = dict.fromkeys([*range(9), *range(10, 32), *range(127, 160)])


def clean(line: bytes, errors: str = "replace") -> str:
    """The line as text: no escape sequence, no C0 or C1 control but tab; odd bytes replaced."""
    if b"\x1b" in line:
        line = ESCAPES.sub(b"", line)
    text = line.decode("utf-8", errors)
    return text if text.isprintable() else text.translate(_CONTROLS)
