"""Bars and plots of block and braille characters."""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(share: float, width: int) -> str:
    """A bar of ``share`` (0 to 1) of ``width`` columns; anything above 0 shows."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    if share > 0 and not eighths:
        eighths = 1
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")
