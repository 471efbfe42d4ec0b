"""Numbers of log lines."""

from __future__ import annotations

MOST = 18  # digits: more are no count, and beyond 4,300 Python refuses


def whole(digits: str) -> int:
    """The number; of one that nothing counts to, what its first digits make."""
    return int(digits[:MOST])
