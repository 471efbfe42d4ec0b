"""Text and log bytes to symptoms: the signature scan, the free-text search, pasted text."""

from __future__ import annotations

from medic.match.reader import NOTES, Limits, iter_lines
from medic.match.scan import Matcher

__all__ = ["NOTES", "Limits", "Matcher", "iter_lines"]
