"""Texts of the help for what is focused."""

from __future__ import annotations

from medic.i18n import Text

NOW = Text("Just now:", "当前：")
ANSWERS = Text(
    "A number and Enter answers the question; ? says how to look; f3 says why it is asked and what each "
    "answer would mean; /change N changes an earlier answer.",
    "输入编号并回车作答；? 查看怎么查；f3 查看为什么问、各回答意味着什么；/change 编号 可更改之前的回答。",
)
CHOOSES = Text("A number and Enter picks one of the choices.", "输入编号并回车选择其中一项。")
TALKS = Text(
    "Nothing is asked: describe, paste, or pick a command.",
    "当前没有提问：可以描述、粘贴或选择命令。",
)
VIEWS = {
    "graph": (
        Text("The graph view", "因果图"),
        (
            (
                "up, down, j, k",
                Text("move; page up, page down, home and end too", "移动；翻页键亦可"),
            ),
            ("right, enter", Text("unfold, or fold again", "展开或折叠")),
            ("left", Text("fold, or go to the parent", "折叠，或回到上一级")),
            ("/", Text("search all causes by their names", "按名称搜索全部原因")),
            ("d", Text("the next page of what is told", "下一页说明")),
            ("c", Text("compare with the first suspect", "与首要嫌疑比较")),
            ("x", Text("rule it out: it is not this", "排除它：不是这个原因")),
            ("esc", Text("back to the talk", "返回对话")),
            (
                "● ○ × ·",
                Text("established, possible, ruled out, not here", "已确诊、可能、已排除、不适用"),
            ),
        ),
    ),
    "patch": (
        Text("The change, before anything is written", "写入前的修改预览"),
        (
            ("a", Text("apply it: a backup is kept", "应用：会保留备份")),
            ("w", Text("write it as a .patch file here", "在当前目录写出 .patch 文件")),
            ("y", Text("copy it", "复制")),
            ("up, down", Text("scroll", "滚动")),
            ("esc", Text("back: nothing is changed", "返回：不做任何修改")),
        ),
    ),
}
