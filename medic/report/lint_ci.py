"""Lint findings for the places that show them beside the code: GitHub annotations and SARIF."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from medic import __version__
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.lint.found import LintFinding, LintReport
from medic.report.console import Console
from medic.report.lint_text import also
from medic.report.sarif_fixes import fixes


def github(console: Console, report: LintReport) -> None:
    """GitHub workflow commands: annotations at as much of file, line and column as is known."""
    level = {"error": "error", "warning": "warning", "info": "notice"}
    for f in report.findings:
        places = [*_place(f), f"title={_property(f'{f.name} ({f.code})')}"]
        others = also(f)
        text = _escape(f"{f.message}{f' ({others})' if others else ''}; {f.consequence}")
        console.out(f"::{level[f.severity]} {','.join(places)}::{text}")
    for item in report.not_read:
        told = Text("not read: {w}", "未读取：{w}").fill(w=Text(item.en, item.zh))
        console.out(f"::error file={_property(item.file)}::{_escape(str(told))}")


def _place(f: LintFinding) -> list[str]:
    if not f.file:
        return []
    found = [f"file={_property(_inside(f.file) or f.file)}"]
    if f.line:
        found.append(f"line={f.line}")
    if f.line and f.column:
        found.append(f"col={f.column}")
        if f.end_column > f.column:
            found.append(f"endColumn={f.end_column}")
    return found


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


def _inside(file: str) -> str:
    """The path below the working folder, as repositories name files; empty if it is elsewhere."""
    path, here = Path(file), Path.cwd()
    if not path.is_absolute():
        path = here / path
    clean = Path(*(p for p in path.parts if p != "."))
    if ".." in clean.parts or not clean.is_relative_to(here):
        return ""
    return clean.relative_to(here).as_posix()


def sarif(report: LintReport, index: Index) -> dict[str, Any]:
    """SARIF 2.1.0 with one rule per cause that fired; what was turned off is suppressed."""
    ignored = [f for f, _ in report.ignored]
    names = sorted({f.name for f in (*report.findings, *ignored)})
    rules = [
        {
            "id": name,
            "name": index.causes[name].code,
            "shortDescription": {"text": index.causes[name].title.en},
            "fullDescription": {"text": index.causes[name].why.en},
        }
        for name in names
    ]
    results = [_result(f, names) for f in report.findings]
    results += [_result(f, names) | {"suppressions": [{"kind": "inSource"}]} for f in ignored]
    driver = {"name": "medic", "version": __version__, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": results,
                "invocations": [_invocation(report)],
            }
        ],
    }


def _invocation(report: LintReport) -> dict[str, Any]:
    """What could not be read, told as SARIF tells a tool's own troubles."""
    told = [
        {
            "level": "error",
            "message": {"text": f"not read: {item.file}: {item.en}"},
        }
        for item in report.not_read
    ]
    done = bool(report.read) or not told
    return {"executionSuccessful": done, "toolExecutionNotifications": told}


def _result(f: LintFinding, names: list[str]) -> dict[str, Any]:
    level = {"error": "error", "warning": "warning", "info": "note"}
    found: dict[str, Any] = {
        "ruleId": f.name,
        "ruleIndex": names.index(f.name),
        "level": level[f.severity],
        "message": {"text": f"{f.message}; {f.consequence}"},
    }
    if f.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(f.file)}}
        if region := _region(f):
            place["region"] = region
        found["locations"] = [{"physicalLocation": place}]
    if f.also:
        found["relatedLocations"] = [_related(*one) for one in f.also]
    if told := fixes(f.fix, _uri):
        found["fixes"] = told
    return found


def _related(file: str, line: int) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": _uri(file)}, "region": {"startLine": line}}
    return {"physicalLocation": place}


def _region(f: LintFinding) -> dict[str, int]:
    if not f.line:
        return {}
    region = {"startLine": f.line}
    if f.column:
        region["startColumn"] = f.column
        if f.end_column > f.column:
            region["endColumn"] = f.end_column
    return region


def _uri(file: str) -> str:
    inside = _inside(file)
    if inside or not Path(file).is_absolute():
        return quote(os.fsencode(inside or Path(file).as_posix()))
    return Path(file).as_uri()
