"""What differs from a run that worked, as a short table with both places."""

from __future__ import annotations

from medic.facts import Difference, SinceGood
from medic.i18n import Text
from medic.report.blocks import Blocks
from medic.safetext import columns, cut, one_line

MAX_ROWS = 16
KINDS = {
    "config": Text("setting", "配置"),
    "data": Text("data", "数据"),
    "version": Text("version", "版本"),
    "node": Text("node", "节点"),
    "curve": Text("curve", "曲线"),
}
ORDER = ("config", "data", "version", "node", "curve")
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
        blocks.paragraph(
            Text("nothing that both runs tell", "双方都有记录的内容中没有差异"), indent="  "
        )
    missing = [KINDS[kind] for kind in ORDER if kind not in found.compared]
    if missing:
        names = (", ".join(t.en for t in missing), "、".join(t.zh for t in missing))
        told = Text(
            f"Not compared, for want of it in one of the two: {names[0]}",
            f"其中一方缺少，未能比较：{names[1]}",
        )
        blocks.paragraph(told, indent="  ")


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
