"""Texts of a procedure that is walked."""

from __future__ import annotations

from medic.i18n import Text

PROCEDURES = Text("Procedures; /walk NAME begins one:", "可执行的流程，用 /walk 名称 开始：")
WHAT_CAME_OUT = Text("What came out?", "结果是？")
BACK = Text("one step back", "返回上一步")
ANEW = Text("begin again with the first step", "从第一步重新开始")
LATER = Text("later: it goes on from here", "稍后再做，下次从这里继续")
LEFT = Text("Left for now; /walk {name} goes on.", "已暂停；/walk {name} 可继续。")
DONE = Text("The procedure is done.", "流程已完成。")
IT_IS = Text("It is: {title} ({code})", "结论：{title}（{code}）")
RULED_OUT = Text(
    "But what was read rules it out: {finding}. Check the answers of the walk before anything is changed.",
    "但已读内容排除了它：{finding}。改动之前请先核对各步的回答。",
)
SPEAKS_AGAINST = Text(
    "But what was read speaks strongly against it: {finding}. Check the answers of the walk before "
    "anything is changed.",
    "但已读内容强烈反对它：{finding}。改动之前请先核对各步的回答。",
)
FILES_SAY = Text(
    "But what was read points to another cause: {title} ({code}). Check the answers of the walk "
    "before anything is changed.",
    "但已读内容指向另一个原因：{title}（{code}）。改动之前请先核对各步的回答。",
)
FIRST = Text("What to do first: {title}", "首选处置：{title}")
MORE = Text("medic explain {name} tells the rest.", "medic explain {name} 可查看全部处置。")
MAKES_FILES = Text(
    "This step makes files from your own config:", "本步骤会用你自己的配置生成文件："
)
SHOWN_BY = Text("/walk {name} takes it step by step", "用 /walk {name} 逐步执行")
NOT_KNOWN = Text(
    "What comes next depends on what comes out: do the step, then choose; or leave it for later.",
    "下一步取决于这一步的结果：请先执行再选择，也可以稍后再做。",
)
GOES_ON = Text("The procedure goes on here. What came out?", "流程仍停在这一步。结果是？")
WAS_LEFT = Text(
    "The procedure “{title}” was left at step {n}; “continue” or /walk {name} goes on.",
    "流程“{title}”上次停在第 {n} 步；输入“继续”或 /walk {name} 可接着做。",
)
FITTING = Text(
    "Procedures that fit the suspects; /walk NAME begins one:",
    "与当前嫌疑相符的流程，用 /walk 名称 开始：",
)
NONE_FITS = Text("No procedure is of the suspects so far.", "目前没有与嫌疑相符的流程。")
LIST_ALL = Text("{n} more: /walk all lists them.", "另有 {n} 个流程：/walk all 列出全部。")
