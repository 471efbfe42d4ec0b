"""Texts of the consultation as lines."""

from __future__ import annotations

from medic.i18n import Text

LOOKED_AT = Text("Looking at {root}.", "正在查看 {root}。")
DECIDE = Text(
    "a applies it, w writes a .patch file, Enter goes back:",
    "输入 a 应用，w 写出 .patch 文件，直接回车返回：",
)
NOT_APPLIED = Text("Nothing was changed.", "未做任何修改。")
ONLY_ON_SCREEN = Text("{word} is of the full-screen app.", "{word} 只在全屏应用中可用。")
STOPPED = Text("Stopped. /look looks again.", "已停止。/look 可重新查看。")
