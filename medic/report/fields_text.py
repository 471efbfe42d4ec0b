"""The fields of a run as a table: name, kind of value, meaning."""

from __future__ import annotations

from typing import Any

from medic.i18n import Text
from medic.report.console import Console
from medic.run_config import FIELDS
from medic.text.safetext import columns

KINDS = {
    int: Text("whole number", "整数"),
    float: Text("number", "数值"),
    bool: Text("true or false", "true 或 false"),
    str: Text("text", "文本"),
}
_TITLE = Text(
    "Fields of a run ({n}). --set FIELD=VALUE gives one where no file states it; in a talk just "
    "type it: world_size=64, or \u201c8 GPUs per node\u201d.",
    "训练的字段（{n} 个）。文件中没有写明时，用 --set 字段=值 给出；对话中可直接输入，"
    "如 world_size=64 或“每节点 8 卡”。",
)


def table(out: Console) -> None:
    """Prints them in their order."""
    out.out(_TITLE.fill(n=len(FIELDS)))
    width = max(map(len, FIELDS))
    kinds = {name: _kind(name) for name in FIELDS}
    wide = max(columns(str(kind)) for kind in kinds.values())
    for name, (_, _, meaning) in FIELDS.items():
        kind = str(kinds[name])
        out.out(f"  {name:<{width}}  {kind}{' ' * (wide - columns(kind))}  {meaning}")


def rows() -> list[dict[str, Any]]:
    """The same as data."""
    return [
        {"name": name, "type": kind.__name__, "unit": unit, "title": str(meaning)}
        for name, (kind, unit, meaning) in FIELDS.items()
    ]


def _kind(name: str) -> Text:
    """What kind of value a field takes: the words to choose from, or a number with its unit."""
    kind, unit, _ = FIELDS[name]
    if "|" in unit:
        words = unit.replace("|", ", ")
        return Text(words, words)
    return KINDS[kind]
