"""Lint findings as JSON."""

from __future__ import annotations

from typing import Any

from medic.lint.found import LintFinding, LintReport
from medic.report.lint_text import reasons
from medic.report.memory_line import memory_data


def json_data(report: LintReport) -> dict[str, Any]:
    """The contract medic.lint/1."""
    return {
        "schema": "medic.lint/1",
        "findings": [_json_finding(f) for f in report.findings],
        "not_checked": [{"name": n, "needs": w} for n, w in report.not_checked],
        "ignored": [
            {"name": f.name, "code": f.code, "file": f.file, "line": f.line, "by": by}
            for f, by in report.ignored
        ],
        "not_read": [{"file": n.file, "why": n.en} for n in report.not_read],
        "memory": memory_data(report.facts),
        "run_config": {
            name: {"value": value.value, "from": value.origin.where()}
            for name, value in sorted(report.run_config.values.items())
        },
    }


def _json_finding(f: LintFinding) -> dict[str, Any]:
    fix = None
    if f.fix is not None and f.fix.patch is not None:
        fix = {
            "safe": f.fix.safe,
            "edits": [
                {"file": e.file, "start": e.start, "end": e.end, "text": e.text}
                for e in f.fix.patch.edits
            ],
            "diff": f.fix.diff,
            "why": "; ".join(reasons(f.fix)),
        }
    return {
        "name": f.name,
        "code": f.code,
        "severity": f.severity,
        "file": f.file,
        "line": f.line,
        "column": f.column,
        "end_column": f.end_column,
        "message": str(f.message),
        "consequence": str(f.consequence),
        "fix": fix,
        "by_hand": [str(note) for note in f.by_hand],
        "also": [{"file": file, "line": line} for file, line in f.also],
    }
