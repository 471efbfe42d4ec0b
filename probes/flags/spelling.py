"""How flags are spelt: what parsers may tell apart, and what says that something is off."""

from __future__ import annotations

import re


def plain(flag: str) -> str:
    """A flag without what parsers may spell in several ways: dashes, case, ``_`` and ``.``."""
    return re.sub(r"[_.]", "-", flag.lstrip("-")).lower()


def negated(flag: str) -> bool:
    """Whether a flag switches something off: ``--no-…``, ``--disable-…``."""
    return plain(flag).startswith(("no-", "disable-", "without-"))
