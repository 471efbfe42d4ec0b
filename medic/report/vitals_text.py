"""Vitals as text and JSON."""

from __future__ import annotations

from typing import Any

from medic.facts import Source
from medic.i18n import Text
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.report.preflight_text import COLOR
from medic.report.preflight_text import STATE as SEEN
from medic.text.safetext import columns, one_line
from medic.vitals import Vital, Vitals

SCHEMA = "medic.vitals/1"
STATES, TITLES = 10, 24
# Of a value that was read, and that tells neither.
STATE = {**SEEN, "not-seen": Text("not clear", "无法判断")}
UNTIL_THEN = Text("as it was until then:", "在此之前：")
GOING_ON = Text("run goes on", "训练在进行")


def full(console: Console, vitals: Vitals) -> None:
    """A line a row, with the line of the file that it was read from."""
    blocks = Blocks(console)
    if vitals.stop is not None:
        _one(blocks, Vital("going-on", GOING_ON, "not-ok", vitals.stop.why, vitals.stop.source))
        console.styled(str(UNTIL_THEN))
    for row in vitals.rows:
        _one(blocks, row)
    for item in vitals.unread:
        line = Text("not read whole: {file}: {why}", "未能完整读取：{file}：{why}")
        line = line.fill(file=one_line(item.file), why=Text(item.en, item.zh))
        console.styled(console.style(str(line), "yellow"))
    console.talk(_summary(vitals))


def _one(blocks: Blocks, row: Vital) -> None:
    console = blocks.console
    words = STATE if row.source.file else SEEN
    state, title = str(words[row.state]), str(row.title)
    lead = console.style(state, COLOR[row.state]) + " " * max(1, STATES - columns(state))
    text = title + " " * max(1, TITLES - columns(title)) + one_line(str(row.text))
    console.styled(lead + text)
    _line(blocks, row.source)


def _line(blocks: Blocks, source: Source) -> None:
    if source.file:
        where = blocks.console.style(one_line(source.where()), "cyan")
        blocks.console.styled(" " * STATES + where)
    if source.text:
        words = source.excerpt(blocks.width - STATES - 2)
        blocks.console.out(" " * STATES + "| " + words)


def _summary(vitals: Vitals) -> Text:
    """Counts of the rows; a run that is over or stands still is one that is not ok."""
    counts = {s.replace("-", "_"): sum(r.state == s for r in vitals.rows) for s in STATE}
    counts["not_ok"] += vitals.stop is not None
    unclear = sum(r.state == "not-seen" and bool(r.source.file) for r in vitals.rows)
    counts |= {"not_seen": counts["not_seen"] - unclear, "unclear": unclear}
    line = Text(
        "step {step}: not ok {not_ok}, ok {ok}, not clear {unclear}, not seen {not_seen}",
        "第 {step} 步：异常 {not_ok}，正常 {ok}，无法判断 {unclear}，未查看 {not_seen}",
    )
    step = "-" if vitals.step is None else str(vitals.step)
    return line.fill({"step": step, **counts})


def json_data(vitals: Vitals) -> dict[str, Any]:
    """The contract medic.vitals/1."""
    return {
        "schema": SCHEMA,
        "ok": vitals.is_ok,
        "step": vitals.step,
        "planned": vitals.planned,
        "stopped": vitals.stop and {"why": str(vitals.stop.why), **_place(vitals.stop.source)},
        "not_read": [{"file": n.file, "why": n.en} for n in vitals.unread],
        "rows": [
            {
                "name": r.name,
                "title": str(r.title),
                "state": r.state,
                "text": str(r.text),
                **_place(r.source),
            }
            for r in vitals.rows
        ],
    }


def _place(source: Source) -> dict[str, Any]:
    return {"file": source.file, "line": source.line, "quote": source.text}
