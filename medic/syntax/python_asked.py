"""The settings of a Python program that its own options decide: what its command gives, else their defaults."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from medic.records import dataclass
from medic.syntax.python_options import options_of
from medic.syntax.python_reader import Reader
from medic.syntax.python_tree import settings_of
from medic.syntax.python_values import Known, Names, Scalar, Unknown

_CASTS = {int: int, float: float, str: str}


@dataclass(frozen=True)
class Asked:
    """A setting that an option decides: its value, the 1-based line of what states it, and whether the command
    gives the option."""

    value: Scalar
    line: int
    given: bool


def asked(body: bytes, given: Mapping[str, str | None]) -> dict[str, Asked]:
    """By the setting's name. ``given``: the command's options without dashes, None where only the shell knows the
    value. Empty for what is no Python."""
    try:
        module = ast.parse(body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return {}
    usual = options_of(module)
    if not usual and not given:
        return {}
    without = settings_of(Reader(module), module, {}).settings
    by_default = settings_of(Reader(module, usual), module, usual).settings
    options: Names = {**usual, **{name: _given(name, word, usual) for name, word in given.items()}}
    found: dict[str, Asked] = {}
    for name, (_, value) in settings_of(Reader(module, options), module, options).settings.items():
        before, base = by_default.get(name), without.get(name)
        if not isinstance(value, Known) or (base is not None and isinstance(base[1], Known)):
            continue
        same = (
            before is not None and isinstance(before[1], Known) and before[1].value == value.value
        )
        found[name] = Asked(value.value, getattr(value.node, "lineno", 1), not same)
    return found


def _given(name: str, word: str | None, usual: Names) -> Known | Unknown:
    """An option's value in the type of its default, as argparse makes it; a whole number without one."""
    default = usual.get(name)
    node = default.node if default is not None else ast.Constant(word, lineno=1, col_offset=0)
    if word is None:
        return Unknown(node)
    kind = type(default.value) if isinstance(default, Known) else None
    if not word:
        if isinstance(default, Known) and isinstance(default.value, bool):
            return Known(not default.value, node)
        return Unknown(node)
    if kind is None:
        kind = int if word.isdigit() else str
    cast = _CASTS.get(kind)
    try:
        return Known(cast(word), node) if cast is not None else Unknown(node)
    except ValueError:
        return Unknown(node)
