"""PyYAML, which declares ten patterns and uses two for most files: they are compiled when used.

Compiling them takes longer than all else that a start spends on reading a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

from medic.text.patterns import regex

__all__ = ["yaml"]


@contextmanager
def _late() -> Iterator[None]:
    """While it is open, ``re.compile`` of this thread puts compiling off."""
    own, compiled = get_ident(), re.compile

    def put_off(pattern: Any, flags: int = 0) -> Any:
        return regex(pattern, flags) if get_ident() == own else compiled(pattern, flags)

    re.compile = put_off
    try:
        yield
    finally:
        re.compile = compiled


with _late():
    import yaml
