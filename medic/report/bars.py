"""Bars and plots of block and braille characters."""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉"


FULL, EMPTY = "█", "░"
_POSSIBLE = 0.15  # from it on a chance is called possible (beliefs.model.word)


def chance_bar(chance: float, word: str, width: int) -> str:
    """A chance as a bar of ``width`` cells beside its ``word``: full only where it is almost
    certain, at least one cell, and what a line makes possible is drawn as no less."""
    most = width if word == "almost-certain" else width - 1
    least = _POSSIBLE if word == "possible" else 0.0
    full = min(most, max(1, round(max(chance, least) * width)))
    return FULL * full + EMPTY * (width - full)


def bar(share: float, width: int) -> str:
    """A bar of ``share`` (0 to 1) of ``width`` columns; anything above 0 shows."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    if share > 0 and not eighths:
        eighths = 1
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")
