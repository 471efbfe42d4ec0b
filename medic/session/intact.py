"""Whether the state of a kept session is as it was written: a file on disk may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LATEST = 253402300799.0  # seconds since the epoch: the end of the year 9999
_EPOCH = 0.0
_PAIR = (str, str)
_READING = (str, str, [str])
_SAID: dict[str, Any] = {
    "answers": [_PAIR],
    "unknown": [str],
    "tried": [str],
    "prose": str,
    "episode": int,
    "words": str,
    "chosen": {"*": str},
    "reported": {"*": _READING},
    "answered": {"*": _READING},
    "plain?": [str],
    "denied?": {"*": str},
    "refused": bool,
    "ruled?": {"*": str},
    "held?": [str],
    "given?": {"*": object},
    "quotes?": {"*": str},
    "paths?": [str],
    "left_out?": [str],
    "aside?": {"*": float},
    "before?": {"*": float},
    "pastes?": int,
}
_WHERE: dict[str, Any] = {
    "cwd": str,
    "paths": [str],
    "root": str,
    "run": str,
    "given": {"*": object},
    "this_host": {bool, type(None)},
}
_APPLIED = {
    "change": str,
    "remedy": str,
    "cause": str,
    "time": float,
    "symptoms": [str],
    "files?": [str],
    "added?": [str],
    "began?": {list, type(None)},
    "shown?": str,
    "logs?": [(int, int)],
    "heads?": [(int, int)],
    "paths?": [str],
    "there?": bool,
    "reached?": {dict, type(None)},
    "rates?": {list, type(None)},
}
_REACHED = {
    "at": {int, type(None)},
    "seconds": {int, float, type(None)},
    "levels": [(str, {int, float}, int)],
    "by": [str],
    "last?": {int, type(None)},
    "kind?": str,
}
_LINES = {"lines?": [{"text?": object, "indent?": int, "mark?": str}], "code?": str}
_STATE: dict[str, Any] = {
    "format": int,
    "opened": float,
    "changed": float,
    "case": _WHERE | {"left_out": [str], "pastes?": [int]},
    "said": _SAID,
    "applied": [_APPLIED],
    "medic?": str,
    "verdict?": {str, type(None)},
    "stand?": [_LINES],
    "moves?": [list],
    "waiting?": {str, type(None)},
    "walk?": {str, type(None)},
    "mended?": [(str, str, str)],
    "taken?": int,
    "lang?": str,
}
_UNHEARD = {
    "host": str,
    "pid": int,
    "said": {"*": object},
    "case": _WHERE | {"text": str},
    "session": str,
    "demo": bool,
}
_LEADER = {"code": str, "title": _PAIR, "word?": str, "chance?": float, "wrong?": str}


def broken_field(data: Any) -> str:
    """The first field of a session's state that is not as it is written, "" if all are."""
    where = _broken(data, _STATE, "")
    if where:
        return where
    leader = data.get("leader")
    if leader and (where := _broken(leader, _LEADER, "leader")):
        return where
    for came in filter(None, (one.get("reached") for one in data["applied"])):
        if where := _broken(came, _REACHED, "applied.reached"):
            return where
    for move in data.get("moves") or ():
        if len(move) != 3 or _broken(move[0], _PAIR, "moves") or not isinstance(move[2], str):
            return "moves"
        if move[1] is not None and (where := _broken(move[1], _SAID, "moves")):
            return where
    return ""


def is_record(data: Any) -> bool:
    """Whether it is one thing said, as a talk keeps it."""
    return not _broken(data, _LINES, "talk")


def is_unheard(data: Any) -> bool:
    """Whether it is something said that no session has yet."""
    return not _broken(data, _UNHEARD, "unheard")


def _broken(value: Any, kind: Any, name: str) -> str:
    """The name of what is wrong in ``value``.

    A kind is a type, a set of types, ``[kind]`` of a list, ``(kind, …)`` of a list of that length,
    ``{"*": kind}`` of any names, or ``{name: kind}``; ``name?`` may be absent.
    """
    whole = name or "state"
    if isinstance(kind, list):
        items = value if isinstance(value, list) else None
        return whole if items is None else _first(_broken(v, kind[0], name) for v in items)
    if isinstance(kind, tuple):
        if not isinstance(value, list) or len(value) != len(kind):
            return whole
        return _first(_broken(v, k, name) for v, k in zip(value, kind, strict=True))
    if isinstance(kind, dict):
        return _in_fields(value, kind, name) if isinstance(value, dict) else whole
    return "" if _is(value, kind) else whole


def _in_fields(value: Mapping[str, Any], kind: Mapping[str, Any], name: str) -> str:
    if "*" in kind:
        return _first(_broken(v, kind["*"], name) for v in value.values())
    for key, own in kind.items():
        field = key.removesuffix("?")
        inner = f"{name}.{field}" if name else field
        if field in value:
            if where := _broken(value[field], own, inner):
                return where
        elif field == key:
            return inner
    return ""


def _is(value: Any, kind: Any) -> bool:
    if isinstance(kind, set):
        return type(value) in kind
    if kind is float:  # a time
        return type(value) in (int, float) and _EPOCH <= value <= LATEST
    return kind is object or type(value) is kind


def _first(found: Any) -> str:
    return next(filter(None, found), "")
