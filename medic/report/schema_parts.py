"""What the JSON schemas of the outputs are made of."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}


def items(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def record(required: Schema, optional: Schema | None = None) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }


def maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def document(name: str, required: Schema, optional: Schema | None = None) -> Schema:
    fields = {"schema": {"const": name}, **required}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name} | record(
        fields, optional
    )
