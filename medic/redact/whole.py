"""Hides what is in data before it is laid out: an escaped, a wrapped or a cut key looks like none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from medic.facts import Source
from medic.i18n import Text
from medic.records import names_of, replace

T = TypeVar("T")
Hide = Callable[[str], str]


def redacted(value: T, hide: Hide) -> T:
    """The same data (records, texts, mappings, sequences) with every text in it hidden."""
    return cast("T", _redacted(value, hide))


def _redacted(value: Any, hide: Hide) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Text):
        return Text(hide(value.en), hide(value.zh))
    if isinstance(value, Mapping):
        return {_redacted(k, hide): _redacted(v, hide) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_redacted(one, hide) for one in value)
    if names := names_of(type(value)):
        hidden = replace(value, **{n: _redacted(getattr(value, n), hide) for n in names})
        return _pointing(value, hidden) if isinstance(value, Source) else hidden
    return value


def _pointing(shown: Source, hidden: Source) -> Source:
    """What tells it stands elsewhere in a line that got shorter."""
    start, end = shown.telling
    at = hidden.text.find(shown.text[start:end])
    return replace(hidden, telling=(at, at + end - start) if at >= 0 else (0, 0))


def redacted_talk(record: Mapping[str, Any], hide: Hide) -> dict[str, Any]:
    """One thing said. The lines that a person pasted are read together: a key may have several."""
    lines = record.get("lines", ())
    texts = [line.get("text") for line in lines]
    if len(texts) > 1 and all(isinstance(t, str) for t in texts):
        rows = hide("\n".join(t.replace("\n", " ") for t in texts)).split("\n")
        if len(rows) == len(texts):
            lines = [{**line, "text": row} for line, row in zip(lines, rows, strict=True)]
    return redacted({**record, "lines": lines}, hide)
