"""Methods of texts, lists and dicts, where they are harmless and their result is small."""

from __future__ import annotations

from .machine import MAX_ITEMS, MAX_TEXT
from .values import UNKNOWN, Arguments, Value, known

_TEXT = frozenset(
    """
    replace strip lstrip rstrip lower upper title capitalize split rsplit startswith endswith
    removeprefix removesuffix partition rpartition isupper islower isidentifier
    """.split()  # noqa: SIM905
)


def call_method(owner: Value, name: str, arguments: Arguments) -> Value:
    """The value of ``owner.name(arguments)``; a list or dict may change."""
    if arguments.open_positional or arguments.open_keywords:
        return UNKNOWN
    if isinstance(owner, str):
        return _of_text(owner, name, arguments)
    if isinstance(owner, dict):
        return _of_dict(owner, name, arguments)
    if isinstance(owner, list):
        return _of_list(owner, name, arguments)
    return UNKNOWN


def _of_text(owner: str, name: str, arguments: Arguments) -> Value:
    given = arguments.positional
    if name == "join" and len(given) == 1 and isinstance(given[0], (list, tuple)):
        good = all(isinstance(part, str) for part in given[0])
        return owner.join(given[0])[:MAX_TEXT] if good else UNKNOWN
    if name == "format":
        return _format(owner, arguments)
    if name not in _TEXT or not all(isinstance(g, (str, int)) for g in given):
        return UNKNOWN
    try:
        found = getattr(owner, name)(*given)
    except (TypeError, ValueError):
        return UNKNOWN
    return list(found) if isinstance(found, tuple) else found


def _format(owner: str, arguments: Arguments) -> Value:
    values = arguments.every
    # Only plain "{}", "{0}" and "{name}": a format such as {:>999999999} is not followed.
    plain = "!" not in owner and ":" not in owner and "[" not in owner and "." not in owner
    if not plain or not all(isinstance(v, (str, int)) for v in values):
        return UNKNOWN
    try:
        return owner.format(*arguments.positional, **arguments.keywords)[:MAX_TEXT]
    except (IndexError, KeyError, ValueError):
        return UNKNOWN


def _of_dict(owner: dict[Value, Value], name: str, arguments: Arguments) -> Value:
    if name == "items":
        return list(owner.items())
    if name == "keys":
        return list(owner)
    if name == "values":
        return list(owner.values())
    if name == "copy":
        return dict(owner)
    if name == "update":
        extra = arguments.get("_", 0, default={})
        owner.update(extra if isinstance(extra, dict) else {})
        owner.update(arguments.keywords)
        return None
    key = arguments.get("_", 0)
    if name in ("get", "setdefault", "pop") and isinstance(key, (str, int)):
        return owner.get(key, arguments.get("_", 1))
    return UNKNOWN


def _of_list(owner: list[Value], name: str, arguments: Arguments) -> Value:
    given = arguments.get("_", 0, default=UNKNOWN)
    if name == "append" and len(owner) < MAX_ITEMS:
        owner.append(given)
    elif name == "extend":
        owner.extend(given[:MAX_ITEMS] if isinstance(given, (list, tuple)) else [UNKNOWN])
    elif name == "index" and known(owner) and given in owner:
        return owner.index(given)
    elif name == "copy":
        return list(owner)
    else:
        return UNKNOWN
    return None
