"""What a bundle holds, as text and as data."""

from __future__ import annotations

from typing import Any

from medic.bundle import Made
from medic.facts.memory import scaled
from medic.i18n import Text
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.text.safetext import one_line

MAX_ROWS = 40


def full(console: Console, made: Made) -> None:
    """The file, what is in it and what is not, and what was hidden."""
    blocks = Blocks(console)
    count = "1 file" if len(made.files) == 1 else "{n} files"
    head = Text(f"{{path}}: {count}, {{size}}", "{path}：{n} 个文件，{size}")
    blocks.paragraph(head.fill(path=made.path, n=len(made.files), size=scaled(made.size)))
    for row in made.files[:MAX_ROWS]:
        cut = Text(" ({n} bytes cut)", "（截去 {n} 字节）").fill(n=f"{row['cut_bytes']:,}")
        console.out(f"  {row['name']}  {scaled(row['bytes'])}{cut if row['cut_bytes'] else ''}")
    if len(made.files) > MAX_ROWS:
        more = Text("  … and {n} more", "  … 另有 {n} 个")
        console.out(more.fill(n=len(made.files) - MAX_ROWS))
    if made.left_out:
        blocks.heading(Text("Left out", "未包含"))
    for row in made.left_out[:MAX_ROWS]:
        left = Text("  {name}{size}: {why}", "  {name}{size}：{why}")
        size = f"  {scaled(row['bytes'])}" if row["bytes"] else ""
        shown = left.fill(name=one_line(row["name"]), size=size, why=row["why"])
        console.out(str(shown))
    hidden = ", ".join(f"{kind} {n}" for kind, n in made.hidden.items())
    blocks.heading(Text("Hidden", "已隐去"))
    blocks.paragraph(
        hidden or Text("nothing was found to hide", "未发现需要隐去的内容"), indent="  "
    )
    if made.map_path:
        kept = Text(
            "what each name stands for stays here: {path}", "各代号对应的原文仅保存在本机：{path}"
        )
        blocks.paragraph(kept.fill(path=made.map_path), indent="  ")
    warning = Text(
        "This is best effort: look through the file before you hand it on.",
        "脱敏为尽力而为：转交前请先检查文件内容。",
    )
    blocks.paragraph(warning, indent="  ")


def json_data(made: Made) -> dict[str, Any]:
    return {
        "schema": "medic.collected/1",
        "path": made.path,
        "bytes": made.size,
        "map": made.map_path,
        "hidden": made.hidden,
        "files": made.files,
        "left_out": [{**row, "why": row["why"].en} for row in made.left_out],
    }
