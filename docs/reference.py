"""Writes the reference of all knowledge, docs/reference.en.md and docs/reference.zh.md.

python docs/reference.py [--check]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from medic.i18n import Lang, Text
from medic.index.knowledge import Index, load

HERE = Path(__file__).parent
LANGUAGES: tuple[Lang, ...] = ("en", "zh")
TITLE = Text("Reference", "参考手册")
INTRO = Text(
    "What medic knows, by kind. Generated from `knowledge/`; `medic explain NAME` says more of each.",
    "medic 的全部知识，按种类排列。由 `knowledge/` 生成；`medic explain 名称` 可查看每一条的详情。",
)
CAUSES = Text("Causes", "原因")
CAUSE_HEAD = Text("| code | cause | why | what to do first |", "| 编号 | 原因 | 机理 | 首选处置 |")
SYMPTOMS = Text("Symptoms", "症状")
SYMPTOM_HEAD = Text("| symptom | causes |", "| 症状 | 原因 |")
CHECKS = Text("Checks", "检查")
CHECK_HEAD = Text("| check | outcomes |", "| 检查 | 结果 |")
PROCEDURES = Text("Procedures", "流程")
PROCEDURE_HEAD = Text("| procedure | steps |", "| 流程 | 步骤 |")
TERMS = Text("Terms", "术语")
TERM_HEAD = Text("| term | what it is |", "| 术语 | 含义 |")
Raw = Mapping[str, Any]


def lines(index: Index, lang: Lang) -> Iterator[str]:
    yield f"# {TITLE.get(lang)}"
    yield ""
    yield INTRO.get(lang)
    yield from _causes(index, lang)
    yield from _table(SYMPTOMS, SYMPTOM_HEAD, 2, _symptoms(index, lang), lang)
    yield from _table(CHECKS, CHECK_HEAD, 2, _checks(index, lang), lang)
    yield from _table(PROCEDURES, PROCEDURE_HEAD, 2, _procedures(index, lang), lang)
    yield from _table(TERMS, TERM_HEAD, 2, _terms(index, lang), lang)


def _table(
    title: Text, head: Text, columns: int, rows: Iterator[list[str]], lang: Lang
) -> Iterator[str]:
    yield from ("", f"## {title.get(lang)}", "", head.get(lang), "|---" * columns + "|")
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"


def _causes(index: Index, lang: Lang) -> Iterator[str]:
    families = sorted({raw["family"] for raw in index.raw["causes"].values()})
    yield from ("", f"## {CAUSES.get(lang)}")
    for family in families:
        own = [r for r in index.raw["causes"].values() if r["family"] == family]
        yield from ("", f"### {family}", "", CAUSE_HEAD.get(lang), "|---" * 4 + "|")
        for raw in sorted(own, key=lambda r: str(r["code"])):
            remedy = index.raw["remedies"][raw["remedies"][0]]
            cells = (
                raw["code"],
                f"{raw['title'][lang]} (`{raw['name']}`)",
                raw["why"][lang],
                remedy["title"][lang],
            )
            yield "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |"


def _symptoms(index: Index, lang: Lang) -> Iterator[list[str]]:
    for name, raw in sorted(index.raw["symptoms"].items()):
        causes = [
            n
            for n, cause in sorted(index.raw["causes"].items())
            if any(s["symptom"] == name for s in cause["shows"])
        ]
        yield [f"{raw['title'][lang]} (`{name}`)", ", ".join(causes)]


def _checks(index: Index, lang: Lang) -> Iterator[list[str]]:
    for name, raw in sorted(index.raw["checks"].items()):
        outcomes = "; ".join(o["title"][lang] for o in raw["outcomes"].values())
        yield [f"{raw['title'][lang]} (`{name}`)", outcomes]


def _procedures(index: Index, lang: Lang) -> Iterator[list[str]]:
    for name, raw in sorted(index.raw["procedures"].items()):
        steps = " ".join(f"({i}) {s['do'][lang]}" for i, s in enumerate(raw["steps"], start=1))
        yield [f"{raw['title'][lang]} (`{name}`)", steps]


def _terms(index: Index, lang: Lang) -> Iterator[list[str]]:
    for _, raw in sorted(index.raw["terms"].items()):
        parts = [raw[part][lang] for part in ("title", "what", "myth", "do") if raw.get(part)]
        yield [", ".join(f"`{s}`" for s in raw["says"][:3]), " ".join(parts)]


def main(check: bool) -> int:
    """Writes both files; with ``check`` only tells (exit code 1) whether they are out of date."""
    index = load()
    stale = 0
    for lang in LANGUAGES:
        file = HERE / f"reference.{lang}.md"
        text = "\n".join(lines(index, lang)) + "\n"
        if not check:
            file.write_text(text, "utf-8")
        elif not file.is_file() or file.read_text("utf-8") != text:
            sys.stderr.write(f"{file} is out of date: python docs/reference.py\n")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
