"""JSON schemas of the outputs: a contract that tests hold every command to."""

from __future__ import annotations

from medic.report import checkpoint_schemas
from medic.report.memory_schema import MEMORY
from medic.report.schema_parts import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    Schema,
    document,
    items,
    maybe,
    record,
)

SOURCE = record(
    {"file": STRING, "line": INTEGER, "rank": maybe(INTEGER), "time": maybe(NUMBER)},
    {"text": STRING},
)
EVIDENCE = record(
    {"outcome": STRING, "text": STRING, "source": SOURCE, "weight": STRING},
    {"symptom": STRING, "check": STRING, "more": items(SOURCE)},
)
REMEDY = record(
    {
        "name": STRING,
        "title": STRING,
        "kind": {"enum": ["config", "command", "code", "procedure"]},
        "safe": BOOLEAN,
        "text": STRING,
        "change": items(record({"field": STRING, "old": {}, "new": {}, "why": STRING})),
        "diff": STRING,
    }
)
CAUSE = record(
    {
        "name": STRING,
        "code": STRING,
        "title": STRING,
        "chance": NUMBER,
        "word": {"enum": ["almost-certain", "likely", "possible", "unlikely", "ruled-out"]},
        "explains": items(STRING),
        "evidence": items(EVIDENCE),
        "remedies": items(REMEDY),
    },
    {"would_show": STRING},  # of a suspect: the answer that would speak for it and not for others
)
UNEXPLAINED = record({"symptom": STRING, "text": STRING, "source": SOURCE})
GAP = record({"name": STRING, "needs": STRING})
DIAGNOSIS = document(
    "medic.diagnosis/1",
    {
        "verdict": {
            "enum": [
                *("established", "likely", "unclear", "none-of-these"),
                *("healthy", "no-fault-seen", "not-read-whole"),
            ]
        },
        "not_established": STRING,
        "causes": items(CAUSE),
        "also_wrong": items(CAUSE),
        "unexplained": items(UNEXPLAINED),
        "next": maybe(record({"question": STRING, "why": items({"type": "object"})})),
        "context": {"type": "object"},
        "not_checked": items(GAP),
        "read": items(record({"file": STRING, "as": STRING, "bytes": INTEGER})),
        "not_read": items(record({"file": STRING, "why": STRING})),
    },
    {
        "consequences": items(UNEXPLAINED),
        "may_mean": items(STRING),  # symptoms, where words complain of something not made out
        "memory": maybe({"type": "object"}),
        "changed_since_good": items(
            record(
                {
                    "kind": {"enum": ["config", "data", "version", "node", "speed", "curve"]},
                    "name": STRING,
                    "now": STRING,
                    "good": STRING,
                    "now_at": STRING,
                    "good_at": STRING,
                }
            )
        ),
    },
)
EDIT = record({"file": STRING, "start": INTEGER, "end": INTEGER, "text": STRING})
LINT = document(
    "medic.lint/1",
    {
        "findings": items(
            record(
                {
                    "name": STRING,
                    "code": STRING,
                    "severity": {"enum": ["error", "warning", "info"]},
                    "file": STRING,
                    "line": INTEGER,
                    "column": INTEGER,
                    "end_column": INTEGER,
                    "message": STRING,
                    "consequence": STRING,
                    "fix": maybe(
                        record(
                            {"safe": BOOLEAN, "edits": items(EDIT), "diff": STRING},
                            {"why": STRING},
                        )
                    ),
                },
                {
                    "by_hand": items(STRING),
                    "also": items(record({"file": STRING, "line": INTEGER})),
                },
            )
        ),
        "not_checked": items(GAP),
        "run_config": {
            "type": "object",
            "additionalProperties": record({"value": {}, "from": STRING}),
        },
    },
    {
        "memory": maybe({"type": "object"}),
        "ignored": items(
            record({"name": STRING, "code": STRING, "file": STRING, "line": INTEGER, "by": STRING})
        ),
    },
)
PLACE = {
    "source": {"enum": ["file", "printed", "default", "derived", "given"]},
    "file": STRING,
    "line": INTEGER,
    "column": INTEGER,
    "key": STRING,
    "framework": STRING,
    "note": STRING,
}
RUN_CONFIG = document(
    "medic.run-config/1",
    {
        "framework": STRING,
        "framework_version": STRING,
        "frameworks": items(STRING),
        "files": items(STRING),
        "values": {
            "type": "object",
            "additionalProperties": record(
                {
                    "value": {},
                    "unit": STRING,
                    **PLACE,
                    "also": items(record({"value": {}, **PLACE})),
                }
            ),
        },
        "figures": items(
            record(
                {
                    "name": STRING,
                    "unit": STRING,
                    "value": maybe(NUMBER),
                    "how": STRING,
                    "needs": items(STRING),
                }
            )
        ),
    },
)
PREFLIGHT = document(
    "medic.preflight/1",
    {
        "ok": BOOLEAN,
        "host": STRING,
        "results": items(
            record(
                {
                    "name": STRING,
                    "state": {"enum": ["ok", "not-ok", "not-seen"]},
                    "text": STRING,
                    "looked_at": STRING,
                    "file": STRING,
                    "line": INTEGER,
                }
            )
        ),
        "lint": {"type": "object"},
    },
)
VITALS = document(
    "medic.vitals/1",
    {
        "ok": BOOLEAN,
        "step": maybe(INTEGER),
        "planned": maybe(INTEGER),
        "stopped": maybe(record({"why": STRING, "file": STRING, "line": INTEGER, "quote": STRING})),
        "not_read": items(record({"file": STRING, "why": STRING})),
        "rows": items(
            record(
                {
                    "name": STRING,
                    "title": STRING,
                    "state": {"enum": ["ok", "not-ok", "not-seen"]},
                    "text": STRING,
                    "file": STRING,
                    "line": INTEGER,
                    "quote": STRING,
                }
            )
        ),
    },
)
EXPLAIN = document(
    "medic.explain/1",
    {
        "matches": items(record({"kind": STRING, "name": STRING, "score": NUMBER})),
        "entry": maybe({"type": "object"}),
    },
)
PROBE = document(
    "medic.probe/1",
    {
        "outcome": {"enum": ["found", "absent", "skipped", "failed"]},
        "findings": items(record({"name": STRING, "outcome": STRING, "text": STRING})),
        "facts": {"type": "object"},
        "not_read": items(record({"file": STRING, "why": STRING})),
    },
    {"reason": STRING},
)
_KEPT = {"verdict": maybe(STRING), "cause": maybe(STRING)}
_SESSION = record({"id": STRING, "changed": STRING, "root": STRING}, _KEPT)
SESSIONS = document(
    "medic.sessions/1", {"sessions": items(_SESSION)}, {"unreadable": items(STRING)}
)
GRAPH = document(
    "medic.graph/1",
    {
        "nodes": items(record({"name": STRING, "kind": STRING, "title": STRING})),
        "links": items(record({"from": STRING, "to": STRING, "kind": STRING})),
    },
)
EVAL = document(
    "medic.eval/1",
    {
        "rows": items(
            record(
                {
                    "name": STRING,
                    "cases": INTEGER,
                    "top1": INTEGER,
                    "top3": INTEGER,
                    "established": INTEGER,
                    "established_wrong": INTEGER,
                }
            )
        ),
        "words": {
            "type": "object",
            "additionalProperties": record({"right": INTEGER, "wrong": INTEGER}),
        },
        "quiet": record({"cases": INTEGER, "wrong": INTEGER}),
        "healthy": record({"cases": INTEGER, "alarmed": INTEGER}),
        "misses": items(
            record(
                {
                    "id": STRING,
                    "expected": items(STRING),
                    "not": STRING,
                    "verdict": STRING,
                    "named": items(STRING),
                }
            )
        ),
    },
)
COLLECTED = document(
    "medic.collected/1",
    {"path": STRING, "bytes": INTEGER, "map": STRING, "hidden": {"type": "object"}},
    {"files": items({"type": "object"}), "left_out": items({"type": "object"})},
)
SCHEMAS: dict[str, Schema] = {
    "eval": EVAL,
    "memory": MEMORY,
    "diagnosis": DIAGNOSIS,
    "collected": COLLECTED,
    "lint": LINT,
    "run-config": RUN_CONFIG,
    "preflight": PREFLIGHT,
    "vitals": VITALS,
    "explain": EXPLAIN,
    "probe": PROBE,
    "graph": GRAPH,
    "sessions": SESSIONS,
    "checkpoint-diff": checkpoint_schemas.DIFF,
    "checkpoint-remap": checkpoint_schemas.REMAP,
}
