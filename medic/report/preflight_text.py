"""A preflight as text and JSON."""

from __future__ import annotations

from typing import Any

from medic.i18n import Text
from medic.lint.found import LintReport
from medic.preflight import Preflight, Result
from medic.report import lint_json, lint_text
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.text.safetext import columns

SCHEMA = "medic.preflight/1"
STATE = {
    "ok": Text("ok", "正常"),
    "not-ok": Text("not ok", "异常"),
    "not-seen": Text("not seen", "未查看"),
}
COLOR = {"ok": "green", "not-ok": "red", "not-seen": "dim"}
WIDE = 10


def full(console: Console, report: LintReport, found: Preflight) -> None:
    """The findings of lint, then a line for each look at this machine."""
    lint_text.full(console, report)
    blocks = Blocks(console)
    console.styled(console.style(str(Text("This machine", "本机")), "bold"))
    for result in found.results:
        _one(blocks, result)
    counts = {s.replace("-", "_"): sum(r.state == s for r in found.results) for s in STATE}
    line = Text(
        "this machine: not ok {not_ok}, ok {ok}, not seen {not_seen}",
        "本机：异常 {not_ok}，正常 {ok}，未查看 {not_seen}",
    )
    console.talk(line.fill(counts))


def _one(blocks: Blocks, result: Result) -> None:
    state = str(STATE[result.state])
    lead = state + " " * max(1, WIDE - columns(state))
    text = Text("{n}: {t}", "{n}：{t}").fill(n=result.name, t=result.text)
    looked = Text(" [looked at: {w}]", "［查看了：{w}］").fill(w=result.looked)
    blocks.paragraph(f"{text}{looked}", " " * WIDE, lead)
    if result.source.file:
        blocks.console.styled(" " * WIDE + blocks.console.style(result.source.where(), "cyan"))


def json_data(report: LintReport, found: Preflight, host: str) -> dict[str, Any]:
    """The contract medic.preflight/1; ``lint`` is the contract medic.lint/1."""
    return {
        "schema": SCHEMA,
        "ok": found.is_ok,
        "host": host,
        "results": [
            {
                "name": r.name,
                "state": r.state,
                "text": str(r.text),
                "looked_at": str(r.looked),
                "file": r.source.file,
                "line": r.source.line,
            }
            for r in found.results
        ],
        "lint": lint_json.json_data(report),
    }
