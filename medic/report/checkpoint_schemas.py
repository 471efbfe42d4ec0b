"""JSON schemas of ``medic checkpoint``."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SHAPE: Schema = {"anyOf": [{"type": "array", "items": _COUNT}, {"type": "null"}]}
_NAMES: Schema = {"type": "array", "items": _TEXT}


def _object(**fields: Schema) -> Schema:
    return {"type": "object", "properties": fields, "required": list(fields)}


def _list(**fields: Schema) -> Schema:
    return {"type": "array", "items": _object(**fields)}


def _document(name: str, **fields: Schema) -> Schema:
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name}
    return head | _object(schema={"const": name}, **fields)


_INDEX = _object(
    file=_TEXT,
    format=_TEXT,
    tensors=_COUNT,
    step={"anyOf": [_COUNT, {"type": "null"}]},
    states={"type": "object", "additionalProperties": {"type": "boolean"}},
    notes=_NAMES,
)
DIFF = _document(
    "medic.checkpoint-diff/1",
    outcome=_TEXT,
    first=_INDEX,
    second=_INDEX,
    rename=_TEXT,
    matched=_COUNT,
    only_first=_NAMES,
    only_second=_NAMES,
    shapes=_list(name=_TEXT, first=_SHAPE, second=_SHAPE),
    harmless=_NAMES,
    dtypes=_list(first=_TEXT, second=_TEXT, tensors=_COUNT),
    fused_or_split=_COUNT,
)
REMAP = _document(
    "medic.checkpoint-remap/1",
    to=_TEXT,
    bytes=_COUNT,
    written=_COUNT,
    tensors={
        "type": "array",
        "items": _object(
            **{"name": _TEXT, "from": _NAMES, "how": _TEXT, "shape": _SHAPE, "dtype": _TEXT}
        ),
    },
    left_out=_list(name=_TEXT, why=_TEXT),
    missing=_list(name=_TEXT, why=_TEXT),
    notes=_NAMES,
)
