"""What differs from a run that worked, as a short table with both places."""

from __future__ import annotations

from collections.abc import Collection

from medic.facts import Difference, SinceGood
from medic.i18n import Text
from medic.report.blocks import Blocks
from medic.text.safetext import columns, cut, one_line

MAX_ROWS = 16
KINDS = {
    "config": Text("setting", "配置"),
    "data": Text("data", "数据"),
    "version": Text("version", "版本"),
    "node": Text("node", "节点"),
    "speed": Text("speed", "速度"),
    "curve": Text("curve", "曲线"),
}
ORDER = ("config", "data", "version", "node", "speed", "curve")
_ONLY_NOW = Text(
    "Not compared, for the run that worked does not tell it: {kinds}",
    "未能比较，正常的运行没有记录：{kinds}",
)
_ONLY_GOOD = Text(
    "Not compared, for this run does not tell it: {kinds}", "未能比较，本次运行没有记录：{kinds}"
)
_NONE = Text("Not recorded in either run: {kinds}", "双方均未记录：{kinds}")
NOT_TOLD = Text("not stated", "未写")


def table(blocks: Blocks, found: SinceGood) -> None:
    """Rows "what: then -> now", below each the places; what could not be compared is told."""
    blocks.heading(Text("Changed since the run that worked", "与正常运行相比的变化"))
    rows = sorted(found.differences, key=lambda d: ORDER.index(d.kind))
    for item in rows[:MAX_ROWS]:
        _row(blocks, item)
    if len(rows) > MAX_ROWS:
        more = Text("  … and {n} more (--json lists them)", "  … 另有 {n} 项（--json 全部列出）")
        blocks.console.out(more.fill(n=len(rows) - MAX_ROWS))
    if not rows:
        blocks.paragraph(_nothing(found), indent="  ")
    neither = [k for k in ORDER if k not in (*found.compared, *found.only_now, *found.only_good)]
    for words, kinds in (
        (_ONLY_NOW, found.only_now),
        (_ONLY_GOOD, found.only_good),
        (_NONE, neither),
    ):
        if kinds:
            blocks.paragraph(words.fill(kinds=_names(kinds)), indent="  ")


def _nothing(found: SinceGood) -> Text:
    if not found.compared:
        return Text("the two tell nothing of the same kind", "双方没有同一类的记录可供比较")
    words = Text("no difference in: {kinds}", "以下内容没有差异：{kinds}")
    return words.fill(kinds=_names(found.compared))


def _names(kinds: Collection[str]) -> Text:
    named = [KINDS[k] for k in ORDER if k in kinds]
    return Text(", ".join(t.en for t in named), "、".join(t.zh for t in named))


def _row(blocks: Blocks, item: Difference) -> None:
    name = one_line(item.name, 40)
    kind = str(KINDS[item.kind])
    lead = f"  {kind}{' ' * max(1, 9 - columns(kind))}{name}: "
    room = max(12, (blocks.width - columns(lead) - 4) // 2)
    then, now = (cut(one_line(v) or str(NOT_TOLD), room) for v in (item.good, item.now))
    blocks.console.out(f"{lead}{then} -> {now}")
    places = [p.where() for p in (item.good_at, item.now_at) if p.file]
    if places:
        blocks.console.styled("             " + blocks.console.style(" -> ".join(places), "cyan"))
