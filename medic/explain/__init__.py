"""What anything means that a user can name or paste: one entry, as data."""

from __future__ import annotations

from medic.explain.diagnosed import Diagnosed, diagnosed
from medic.explain.find import KIND_NAME, Match, entry, find, named_in, printed_among

__all__ = [
    "KIND_NAME",
    "Diagnosed",
    "Match",
    "diagnosed",
    "entry",
    "find",
    "named_in",
    "printed_among",
]
