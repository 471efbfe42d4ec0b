"""JSON schema of ``medic memory``."""

from __future__ import annotations

from medic.report.schema_parts import BOOLEAN, INTEGER, STRING, document, items, maybe, record

_BOUND = {"enum": ["exact", "at-least", "at-most", "formula"]}
_BOUNDS = record({"low": maybe(INTEGER), "estimate": maybe(INTEGER), "high": maybe(INTEGER)})
_REMEDY_PEAK = record(
    {
        "name": STRING,
        "text": STRING,
        "cost": STRING,
        "change": items(record({"field": STRING, "old": {}, "new": {}})),
        "peak": maybe(INTEGER),
        "device": INTEGER,
        "bound": _BOUND,
        "fits": BOOLEAN,
    }
)
MEMORY = document(
    "medic.memory/1",
    {
        "peak": _BOUNDS,
        "device": _BOUNDS,
        "parts": {"type": "object", "additionalProperties": INTEGER},
        "phases": {"type": "object", "additionalProperties": INTEGER},
        "phases_not_measured": items(STRING),
        "stages": {"type": "object", "additionalProperties": INTEGER},
        "fits": maybe(BOOLEAN),
        "verdict": {
            "enum": [
                "fits",
                "probably-fits",
                "tight",
                "probably-not",
                "does-not-fit",
                "at-least",
                "unknown",
            ]
        },
        "capacity": maybe(INTEGER),
        "gpu": STRING,
        "model": STRING,
        "assumed": items(STRING),
        "choices": items(
            record(
                {
                    "field": STRING,
                    "taken": STRING,
                    "other": STRING,
                    "device": maybe(INTEGER),
                    "bound": _BOUND,
                }
            )
        ),
        "unknown": items(STRING),
        "not_modelled": items(STRING),
        "largest": {"type": "object"},
        "remedies": items(_REMEDY_PEAK),
        "plan": items(_REMEDY_PEAK),
        "taken": {"type": "object", "additionalProperties": INTEGER},
        "diff": STRING,
        "notes": items(STRING),
        "read": items(record({"file": STRING, "bytes": INTEGER})),
        "not_read": items(record({"file": STRING, "why": STRING})),
    },
)
