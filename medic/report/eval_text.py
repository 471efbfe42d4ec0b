"""The score of labelled cases as text (a Markdown table, as it stands in the README) and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from medic.evaluate import Result, Row, Score, table
from medic.i18n import Text
from medic.report.console import Console
from medic.report.words import CHANCE, VERDICT

HEAD = Text(
    "| cases | n | right first | in the top 3 | established | of all: established and wrong |",
    "| 案例 | 数量 | 首位正确 | 前三包含 | 已确诊 | 确诊但错误（占全部） |",
)
QUIET = Text(
    "{n} cases that mention a fault and have another or none: {wrong} named it.",
    "{n} 个提到某故障、但原因另有其他或没有故障的案例：其中 {wrong} 个被误判。",
)
HEALTHY = Text("{n} healthy cases: {wrong} alarmed.", "{n} 个健康案例：其中 {wrong} 个被误报。")
WORD = Text("| word of the first cause | n | right |", "| 首位原因的措辞 | 数量 | 正确 |")
MISSED = Text(
    "{id}: expected {expected}; {verdict}: {named}", "{id}：应为 {expected}；{verdict}：{named}"
)


def score(out: Console, found: Score, *, misses: bool) -> None:
    for line in lines(found):
        out.out(line)
    if misses and found.misses:
        out.out()
        for miss in found.misses:
            out.out(_missed(miss))


def lines(found: Score) -> Iterator[str]:
    yield str(HEAD)
    yield "|---|--:|--:|--:|--:|--:|"
    for name, row in table(found):
        yield f"| {name} | {row.cases} | " + " | ".join(_shares(row)) + " |"
    yield ""
    yield str(WORD)
    yield "|---|--:|--:|"
    for word in (w for w in CHANCE if w in found.words):
        counts = found.words[word]
        total = counts[True] + counts[False]
        yield f"| {CHANCE[word]} | {total} | {_percent(counts[True], total)} |"
    yield ""
    yield str(QUIET.fill(n=found.quiet, wrong=found.quiet_wrong))
    yield str(HEALTHY.fill(n=found.healthy, wrong=found.alarmed))


def _shares(row: Row) -> list[str]:
    counts = (row.top1, row.top3, row.established, row.established_wrong)
    return [_percent(count, row.cases) for count in counts]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "-"


def _expected(miss: Result) -> str:
    if miss.case.never:
        return str(Text("not {name}", "不应为 {name}").fill(name=miss.case.never))
    return ", ".join(miss.case.causes) or str(Text("nothing", "无"))


def _missed(miss: Result) -> str:
    values = {
        "id": miss.case.id,
        "expected": _expected(miss),
        "verdict": VERDICT[miss.verdict],
        "named": ", ".join(miss.named[:3]) or "-",
    }
    return str(MISSED.fill(values))


def as_json(found: Score) -> dict[str, Any]:
    return {
        "schema": "medic.eval/1",
        "rows": [{"name": name, **vars(row)} for name, row in table(found)],
        "words": {word: {"right": c[True], "wrong": c[False]} for word, c in found.words.items()},
        "quiet": {"cases": found.quiet, "wrong": found.quiet_wrong},
        "healthy": {"cases": found.healthy, "alarmed": found.alarmed},
        "misses": [
            {
                "id": m.case.id,
                "expected": list(m.case.causes),
                "not": m.case.never,
                "verdict": m.verdict,
                "named": list(m.named),
            }
            for m in found.misses
        ],
    }
