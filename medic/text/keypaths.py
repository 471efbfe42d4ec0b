"""Names of settings as the steps of their paths."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=8192)  # rules ask for the same few thousand names, of each file anew
def steps_of(name: str) -> tuple[str, ...]:
    """``a.B-c`` as the steps of a setting's path: ``("a", "b_c")``."""
    return tuple(name.lower().replace("-", "_").split("."))
