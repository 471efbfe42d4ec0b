"""The account of an out-of-memory message: its numbers beside the estimate, and what helps."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from medic.facts.memory import gib, others_of
from medic.i18n import Text
from medic.oom import Account
from medic.report.blocks import Blocks
from medic.report.console import Console

ROW = {
    "total": Text("GPU", "显卡"),
    "process": Text("this process", "本进程"),
    "allocated": Text("tensors of it", "其中张量"),
    "unallocated": Text("reserved but unallocated", "已保留未分配"),
    "others": Text("other processes", "其他进程"),
    "free": Text("free", "空闲"),
    "request": Text("wanted", "所申请"),
}


def shown(console: Console, found: Account | None, above: Collection[str] = ()) -> None:
    """Prints the message's own numbers, what they say and, of a run, the remedies; or nothing.

    ``above``: the changes that stand above and are not shown again."""
    if found is None:
        return
    blocks = Blocks(console)
    blocks.heading(Text("The memory in numbers", "显存数字"))
    rows = {name: found.numbers[name] for name in ROW if name in found.numbers}
    beside = others_of(found.numbers)
    if beside is not None and beside > 0:
        rows["others"] = beside
    joined = Text("{name} {n}", "{name} {n}")
    parts = [str(joined.fill(name=ROW[name], n=gib(rows[name]))) for name in ROW if name in rows]
    blocks.paragraph(str(Text(", ", "，")).join(parts), "    ", "  ")
    for line in found.says:
        blocks.paragraph(line, "    ", "  - ")
    if found.advice is not None:
        from medic.report.memory_advice import advice

        advice(blocks, found.advice, found.room)
    if found.diff and found.diff not in above:
        blocks.heading(Text("As a change of your files", "对应的文件修改"))
        blocks.diff(found.diff)


def json_data(found: Account | None) -> dict[str, Any] | None:
    """In bytes. ``plan`` is the first remedy that is enough, else those that together are."""
    if found is None:
        return None
    seen = found.found
    return {
        "numbers": {**found.numbers, "others": others_of(found.numbers)},
        "says": [str(line) for line in found.says],
        "device": None
        if seen is None
        else {
            "low": seen.low,
            "estimate": seen.estimate,
            "high": None if seen.not_measured else seen.high,
        },
        **_advice_data(found),
        "diff": found.diff,
    }


def _advice_data(found: Account) -> dict[str, Any]:
    if found.advice is None:
        return {"remedies": [], "plan": [], "fits": False}
    from medic.report.memory_json import remedy_data

    room = found.room
    return {
        "remedies": [remedy_data(one, room) for one in found.advice.alone],
        "plan": [remedy_data(one, room) for one in found.advice.plan],
        "fits": found.advice.fits,
    }
