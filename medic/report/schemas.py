"""JSON schemas of the outputs: a contract that tests hold every command to."""

from __future__ import annotations

from medic.report import checkpoint_schemas
from medic.report.memory_schema import MEMORY
from medic.report.schema_parts import BOOLEAN, INTEGER, NUMBER, STRING, Schema
from medic.report.schema_parts import document as _document
from medic.report.schema_parts import items as _list
from medic.report.schema_parts import maybe as _maybe
from medic.report.schema_parts import record as _object

SOURCE = _object(
    {"file": STRING, "line": INTEGER, "rank": _maybe(INTEGER), "time": _maybe(NUMBER)},
    {"text": STRING},
)
EVIDENCE = _object(
    {"outcome": STRING, "text": STRING, "source": SOURCE, "weight": STRING},
    {"symptom": STRING, "check": STRING},
)
REMEDY = _object(
    {
        "name": STRING,
        "title": STRING,
        "kind": {"enum": ["config", "command", "code", "procedure"]},
        "safe": BOOLEAN,
        "text": STRING,
        "change": _list(_object({"field": STRING, "old": {}, "new": {}, "why": STRING})),
        "diff": STRING,
    }
)
CAUSE = _object(
    {
        "name": STRING,
        "code": STRING,
        "title": STRING,
        "chance": NUMBER,
        "word": {"enum": ["almost-certain", "likely", "possible", "unlikely", "ruled-out"]},
        "explains": _list(STRING),
        "evidence": _list(EVIDENCE),
        "remedies": _list(REMEDY),
    }
)
UNEXPLAINED = _object({"symptom": STRING, "text": STRING, "source": SOURCE})
GAP = _object({"name": STRING, "needs": STRING})
DIAGNOSIS = _document(
    "medic.diagnosis/1",
    {
        "verdict": {"enum": ["established", "likely", "none-of-these", "healthy", "no-fault-seen"]},
        "causes": _list(CAUSE),
        "also_wrong": _list(CAUSE),
        "unexplained": _list(UNEXPLAINED),
        "next": _maybe(_object({"question": STRING, "why": _list({"type": "object"})})),
        "context": {"type": "object"},
        "not_checked": _list(GAP),
        "read": _list(_object({"file": STRING, "as": STRING, "bytes": INTEGER})),
        "not_read": _list(_object({"file": STRING, "why": STRING})),
    },
    {
        "consequences": _list(UNEXPLAINED),
        "memory": _maybe({"type": "object"}),
        "changed_since_good": _list(
            _object(
                {
                    "kind": {"enum": ["config", "data", "version", "node", "curve"]},
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
EDIT = _object({"file": STRING, "start": INTEGER, "end": INTEGER, "text": STRING})
LINT = _document(
    "medic.lint/1",
    {
        "findings": _list(
            _object(
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
                    "fix": _maybe(
                        _object(
                            {"safe": BOOLEAN, "edits": _list(EDIT), "diff": STRING},
                            {"why": STRING},
                        )
                    ),
                },
                {
                    "by_hand": _list(STRING),
                    "also": _list(_object({"file": STRING, "line": INTEGER})),
                },
            )
        ),
        "not_checked": _list(GAP),
        "run_config": {
            "type": "object",
            "additionalProperties": _object({"value": {}, "from": STRING}),
        },
    },
    {
        "memory": _maybe({"type": "object"}),
        "ignored": _list(
            _object({"name": STRING, "code": STRING, "file": STRING, "line": INTEGER, "by": STRING})
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
RUN_CONFIG = _document(
    "medic.run-config/1",
    {
        "framework": STRING,
        "framework_version": STRING,
        "frameworks": _list(STRING),
        "files": _list(STRING),
        "values": {
            "type": "object",
            "additionalProperties": _object(
                {
                    "value": {},
                    "unit": STRING,
                    **PLACE,
                    "also": _list(_object({"value": {}, **PLACE})),
                }
            ),
        },
        "figures": _list(
            _object(
                {
                    "name": STRING,
                    "unit": STRING,
                    "value": _maybe(NUMBER),
                    "how": STRING,
                    "needs": _list(STRING),
                }
            )
        ),
    },
)
PREFLIGHT = _document(
    "medic.preflight/1",
    {
        "ok": BOOLEAN,
        "host": STRING,
        "results": _list(
            _object(
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
VITALS = _document(
    "medic.vitals/1",
    {
        "ok": BOOLEAN,
        "step": _maybe(INTEGER),
        "planned": _maybe(INTEGER),
        "stopped": _maybe(
            _object({"why": STRING, "file": STRING, "line": INTEGER, "quote": STRING})
        ),
        "rows": _list(
            _object(
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
EXPLAIN = _document(
    "medic.explain/1",
    {
        "matches": _list(_object({"kind": STRING, "name": STRING, "score": NUMBER})),
        "entry": _maybe({"type": "object"}),
    },
)
PROBE = _document(
    "medic.probe/1",
    {
        "outcome": {"enum": ["found", "absent", "skipped", "failed"]},
        "findings": _list(_object({"name": STRING, "outcome": STRING, "text": STRING})),
        "facts": {"type": "object"},
        "not_read": _list(_object({"file": STRING, "why": STRING})),
    },
    {"reason": STRING},
)
_KEPT = {"verdict": _maybe(STRING), "cause": _maybe(STRING)}
_SESSION = _object({"id": STRING, "changed": STRING, "root": STRING}, _KEPT)
SESSIONS = _document(
    "medic.sessions/1", {"sessions": _list(_SESSION)}, {"unreadable": _list(STRING)}
)
GRAPH = _document(
    "medic.graph/1",
    {
        "nodes": _list(_object({"name": STRING, "kind": STRING, "title": STRING})),
        "links": _list(_object({"from": STRING, "to": STRING, "kind": STRING})),
    },
)
EVAL = _document(
    "medic.eval/1",
    {
        "rows": _list(
            _object(
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
            "additionalProperties": _object({"right": INTEGER, "wrong": INTEGER}),
        },
        "quiet": _object({"cases": INTEGER, "wrong": INTEGER}),
        "healthy": _object({"cases": INTEGER, "alarmed": INTEGER}),
        "misses": _list(
            _object(
                {
                    "id": STRING,
                    "expected": _list(STRING),
                    "not": STRING,
                    "verdict": STRING,
                    "named": _list(STRING),
                }
            )
        ),
    },
)
COLLECTED = _document(
    "medic.collected/1",
    {"path": STRING, "bytes": INTEGER, "map": STRING, "hidden": {"type": "object"}},
    {"files": _list({"type": "object"}), "left_out": _list({"type": "object"})},
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
