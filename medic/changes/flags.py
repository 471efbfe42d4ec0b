"""Flags of the launch command. Only the probe that read the parser knows what was meant.

Such a change has the field ``flag:--name`` (new name, or None: leave it out) or
``flag-value:--name`` (None: without its value; a text: that takes the place of both).
"""

from __future__ import annotations

from collections.abc import Sequence

from medic.run_config import Change

FLAG = "flag"
PREFIXES = ("flag:", "flag-value:")


def is_flag(field: str) -> bool:
    return field == FLAG or field.startswith(PREFIXES)


def flag_values(changes: Sequence[Change]) -> dict[str, object]:
    """``flag`` and ``flag_new`` of the first flag, as a user writes them."""
    first = next((c for c in changes if c.field.startswith(PREFIXES)), None)
    if first is None:
        return {}
    kind, _, name = first.field.partition(":")
    if kind == "flag":
        return {"flag": name, "flag_new": first.new or "-"}
    gone = any(c.field == f"flag:{name}" and c.new is None for c in changes)
    return {"flag": f"{name} {first.old}", "flag_new": first.new or ("-" if gone else name)}
