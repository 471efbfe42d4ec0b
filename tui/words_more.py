"""Texts of the words that the user gives: why, patch, undo, graph, help."""

from __future__ import annotations

from medic.i18n import Text

# --- /why -----------------------------------------------------------------------------------

WHY_QUESTION = Text("Why this question ({minutes}):", "为什么问这个问题（{minutes}）：")
IF_THEN = Text("if “{outcome}”: {leader}", "若“{outcome}”：{leader}")
ELSE = Text("otherwise: {leader}", "否则：{leader}")
WHATEVER = Text(
    "whatever the answer, this still leads: {leader}; the answer makes it more or less sure",
    "无论怎样回答，首要嫌疑仍是：{leader}；回答只影响把握大小",
)
NO_CAUSE_KNOWN = Text("none of the known causes", "已知原因之外")
REFUTES = Text(
    "It is asked to try to refute what leads before it is called established.",
    "在确诊之前，用它检验首要嫌疑能否被推翻。",
)
SURE = Text(
    "Established: {title} ({code}); a finding that hardly anything else explains confirms it.",
    "已确诊：{title}（{code}）；有一项几乎不可能由其他原因造成的发现。",
)
NOT_SURE = Text(
    "Not proven. {title} ({code}) is {word}: nothing that was read confirms it beyond doubt.",
    "尚未证实。{title}（{code}）：{word}；已读内容中没有能完全坐实它的发现。",
)
FOR_AND_AGAINST = Text(
    "{n} findings speak for it, {m} against it.", "支持它的发现 {n} 条，反对的 {m} 条。"
)
WHY_CAUSE = Text("Why “{title}” ({code}), {word}:", "为什么是“{title}”（{code}），{word}：")
RIVAL_SHOWS = Text("“{title}” would show: {told}", "若是“{title}”，应能看到：{told}")
DO_NOT = Text("Do not, against “{title}”:", "对“{title}”不要这样做：")
NO_LEADER = Text("No cause leads yet.", "还没有首要嫌疑。")
WHAT_CHANGES = Text("What would change my mind:", "什么会改变这一判断：")
WITHOUT = Text("without “{finding}”: {leader}", "若没有“{finding}”：{leader}")
CHEAPEST = Text(
    "“{ask}” ({minutes}): if “{outcome}”, {leader}",
    "“{ask}”（{minutes}）：若“{outcome}”，{leader}",
)
NOTHING_CHANGES = Text("No single answer would.", "没有任何单个回答能改变。")

# --- the process that reads -----------------------------------------------------------------

NOT_APART = Text(
    "No process of its own for the reading ({why}): the screen may stand still now and then.",
    "无法为读取启动独立进程（{why}），界面可能偶有停顿。",
)
PROCESS_DIED = Text(
    "The process that reads the files ended ({why}); going on from what was kept.",
    "读取文件的进程已终止（{why}），从已保存的内容继续。",
)
BY_SIGNAL = Text("signal {n}", "信号 {n}")
WITH_CODE = Text("exit code {n}", "退出码 {n}")
DIED_AGAIN = Text(
    "It ended while reading again: leave the largest file out (/files, /drop N), then /look.",
    "再次读取时又终止了：请先排除最大的文件（/files，/drop 编号），再 /look。",
)

# --- /patch, /undo, /tried ------------------------------------------------------------------

NO_PATCH = Text(
    "No change of your files can be computed for this; what to do by hand:",
    "无法为此算出对文件的修改，请手动处理：",
)
BY_HAND_ABOVE = Text(
    "No change of your files can be computed for this: do it by hand, as told above.",
    "无法为此算出对文件的修改，请按上文手动处理。",
)
FIRST_BY_HAND = Text(
    "This is remedy {n}: the first one, “{first}”, is done by hand.",
    "这是第 {n} 项处置：排在第一的“{first}”需要手动完成。",
)
NO_PATCH_YET = Text(
    "No change can be computed before its numbers are known:", "还缺少数值，暂时无法算出修改："
)
NO_OFFERS = Text("There is nothing to change yet.", "还没有可做的修改。")
NO_SUCH_OFFER = Text("There are remedies 1 to {n}.", "处置编号为 1 到 {n}。")
PATCH_TITLE_ONE = Text("Apply to {file}?", "应用到 {file}？")
PATCH_TITLE = Text("Apply to {n} files?", "应用到 {n} 个文件？")
UNSAFE_NOTE = Text("unsafe: read what it costs", "有风险：请先看代价")
UNDO_LATER = Text(
    "A backup is kept; f8 or medic undo takes it back.",
    "会保留备份；f8 或 medic undo 可撤销。",
)
PATCH_KEYS = (
    ("a", Text("apply", "应用")),
    ("w", Text("write .patch", "写出 .patch")),
    ("y", Text("copy", "复制")),
    ("esc", Text("back", "返回")),
)
BECOMES = Text("{old} -> {new}", "{old} -> {new}")
VALUE_BECOMES = Text("{field}: {old} -> {new}", "{field}：{old} -> {new}")
LEFT_OUT = Text("{name}: left out", "{name}：去掉")
BECAUSE = Text("{text} ({why})", "{text}（{why}）")
WRITTEN = Text("Written: {file}", "已写入：{file}")
APPLY_IT = Text("to apply it: {command}", "应用：{command}")
NOT_WRITTEN = Text("Not written: {why}", "未写入：{why}")
NOT_APPLIED = Text("Nothing was changed.", "没有做任何修改。")
APPLIED = Text("Applied {id}: {files}", "已应用 {id}：{files}")
TO_UNDO = Text("To take it back: f8 or medic undo {id}", "撤销：f8 或 medic undo {id}")
LATER = Text("/look looks again whenever you like.", "随时可用 /look 重新查看。")
CHANGE = Text("change {id} of {files}", "对 {files} 的修改 {id}")
FILES_CHANGED = Text(
    "Files have changed since they were read: looking again.",
    "文件在读取之后有改动，重新查看。",
)
OTHER_PATCHES = Text("Remedies with a change of your files:", "可给出文件修改的处置：")
TRIED_ALREADY = Text("“{title}” is marked already.", "“{title}”已标记为无效。")
RESTORE_WHAT = Text(
    "Take back the {what}? These lines would return:",
    "撤销{what}？将恢复以下内容：",
)
RESTORE_SHOWN = Text("After this change {shown}.", "这次修改之后：{shown}。")
RESTORE_FILES = Text("take it back: restore the files", "撤销：恢复文件")
RESTORED = Text("Restored: {what} is taken back.", "已撤销{what}，文件已恢复。")
OVERWRITTEN = Text("What the file held before is kept in {path}", "恢复前的文件内容保存在 {path}")
RESTORED_BEFORE = Text(
    "The {what} was undone already, outside of this talk: nothing is left to restore.",
    "{what}此前已在别处撤销，无需再恢复。",
)
CHANGED_SINCE = Text("{file} has changed since {change}", "{file} 在 {change} 之后又有改动")
DELETED_SINCE = Text("{file} was deleted since {change}", "{file} 在 {change} 之后已被删除")
NOT_RESTORED = Text("{what} was not taken back:", "未能撤销{what}：")
WHAT_NOW = Text("What now?", "接下来怎么办？")
RESTORE_ANYWAY = Text(
    "restore the files all the same; what they hold now is kept in the state folder",
    "仍然恢复；文件现在的内容会保存在状态目录中",
)
WRITE_AGAIN = Text(
    "write what was deleted again, as it was before the change",
    "按修改前的内容重新写出已删除的文件",
)
LEAVE_FILES = Text(
    "keep the files as they are; the next undo takes back what was said before",
    "保留文件；再次撤销时撤回更早的内容",
)
DO_NOTHING = Text("nothing, for now", "暂不处理")
LEFT_AS_IT_IS = Text(
    "The files stay as they are; /undo goes on with what was before {what}.",
    "文件保持现状；/undo 将从{what}之前的内容继续。",
)
TOOK_BACK = Text("Taken back: {what}", "已撤回：{what}")
MARKED = Text("that “{title}” did not help", "“{title}”的无效标记")
FILES_STAY = Text(
    "No file was touched: the {what} stands. To take that back, too: f8 or medic undo {id}",
    "文件没有变动：{what}仍在。如需一并撤销：f8 或 medic undo {id}",
)
FILES_STAY_BEHIND = Text(
    "No file was touched: the {what} stands. To take that back, too: medic undo {id}",
    "文件没有变动：{what}仍在。如需一并撤销：medic undo {id}",
)
NOTHING_TO_UNDO = Text("There is nothing to take back.", "没有可撤回的操作。")
DID_NOT_HELP = Text(
    "Noted: “{title}” did not help. It counts against its causes, and is the last of the list now.",
    "已记下：“{title}”无效。这会降低对应原因的可能性，该处置已排到最后。",
)
MADE_ALREADY = Text("In the files already:", "文件中已经如此：")
TRIED_BEFORE = Text("Tried already, without success:", "已试过但无效：")
NO_HELP = Text("tried, did not help", "已试过，无效")
ALL_TRIED = Text(
    "All that medic knows against this has been tried. Check that the changes were in force in "
    "that run, /none if it is another fault, /report hands over what is known.",
    "medic 已知的处置都已试过。请确认那次运行确实用上了这些修改；若是别的故障，输入 /none；"
    "/report 生成交接报告。",
)
NEW_EPISODE = Text(
    "The symptoms have changed: starting from what is seen now.", "现象已变化：从当前所见重新开始。"
)
SAID_NONE = Text("Noted: none of these.", "已记下：都不是。")

# --- /add, /run, /look ----------------------------------------------------------------------

ADD_WHAT = Text("/add needs a path.", "/add 需要一个路径。")
ADDED = Text("Added: {files}", "已添加：{files}")
WHOLE_SYSTEM = Text(
    "That is the whole file system: name the folder of the run.",
    "这是整个文件系统：请给出运行所在的目录。",
)
NOT_ADDED = Text("Not added: {file}: {why}", "未添加：{file}：{why}")
NO_RUNS = Text("One run is here.", "此处只有一个运行。")

# --- /graph ---------------------------------------------------------------------------------

BY = Text("by {finding}", "依据：{finding}")
CLOSED = Text("closed", "整支已排除")
FAMILIES = {
    "memory": Text("memory", "显存与内存"),
    "numerics": Text("numerics", "数值"),
    "schedule": Text("schedule", "学习率与步数"),
    "batch": Text("batch", "批次"),
    "distributed": Text("distributed", "分布式通信"),
    "launch": Text("launch", "启动"),
    "checkpoint": Text("checkpoint", "检查点"),
    "flags": Text("flags", "命令行参数"),
    "data": Text("data", "数据"),
    "storage": Text("storage", "存储"),
    "config": Text("configuration", "配置"),
    "code": Text("code", "代码"),
    "rl": Text("reinforcement learning", "强化学习"),
    "rollout": Text("rollout", "rollout 推理"),
    "convergence": Text("convergence", "收敛"),
    "throughput": Text("throughput", "吞吐"),
    "evaluation": Text("evaluation", "评测"),
    "cuda": Text("CUDA", "CUDA"),
    "ray": Text("Ray", "Ray"),
    "environment": Text("environment", "环境"),
    "adapter": Text("adapters", "适配器"),
    "long-context": Text("long context", "长上下文"),
    "loading": Text("loading a model", "模型加载"),
    "moe": Text("mixture of experts", "混合专家"),
    "compile": Text("compilation", "编译"),
    "hardware": Text("hardware", "硬件"),
    "trl": Text("TRL", "TRL"),
    "scheduler": Text("job scheduler", "作业调度"),
    "tokenizer": Text("tokenizer", "分词器"),
}

# --- copying --------------------------------------------------------------------------------

COPIED_TMUX = Text(
    "Copied through tmux: “{what}”; also in {file}",
    "已通过 tmux 复制：“{what}”，并保存在 {file}",
)
COPIED_OSC = Text(
    "Sent to the terminal's clipboard (OSC 52; it may refuse): “{what}”; also in {file}",
    "已发送到终端剪贴板（OSC 52，终端可能拒绝）：“{what}”，并保存在 {file}",
)
NO_FILE = Text("no file: the state folder cannot be written", "无文件：状态目录不可写")
NOTHING_TO_COPY = Text("There is nothing to copy yet.", "还没有可复制的内容。")
NO_SUCH_BLOCK = Text("There is no block {n}.", "没有编号为 {n} 的代码块。")

# --- help, theme, language ------------------------------------------------------------------

HELP_TITLE = Text("Keys and words", "按键与命令")
HELP_CLOSE = Text(
    "esc closes; up, down, page up and page down scroll",
    "esc 关闭；方向键与翻页键滚动",
)
HELP_TALK = (
    Text(
        "Type what you see, or paste log lines, settings or a command; Enter sends.",
        "直接描述现象，或粘贴日志、配置、命令，回车发送。",
    ),
    Text(
        "A number and Enter answers; ? alone needs no Enter while the line is empty.",
        "输入编号并回车作答；输入行为空时，按 ? 无需回车。",
    ),
    Text(
        "Page up and page down scroll the talk; up and down recall what was typed; "
        "tab completes a /word.",
        "翻页键滚动对话；上下方向键调出之前的输入；tab 补全 /命令。",
    ),
)
KEYS_NOT_TAKEN = Text("Keys in {file} that are not taken:", "{file} 中未采用的按键：")
PALETTE = Text("Search the commands", "搜索命令")
NO_MATCH = Text("no command “{word}”", "没有命令“{word}”")
NO_COMMAND = Text(
    "No command “{word}”. f2 lists those that there are.", "没有命令“{word}”。f2 列出全部命令。"
)
NEAR_COMMAND = Text(
    "No command “{word}”; did you mean “/{near}”?",
    "没有命令“{word}”；是否想输入“/{near}”？",
)
THEME_NOW = Text("Theme: {name}. There are: {names}", "主题：{name}。可选：{names}")
LANG_WHICH = Text(
    "/lang takes en or zh; auto follows the system.", "/lang 的参数是 en 或 zh；auto 跟随系统。"
)
LANG_AUTO = Text("Following the language of the system.", "已改为跟随系统语言。")
LANG_CHOSEN = {
    "en": Text(
        "English, as chosen with /lang; /lang auto follows the system.",
        "界面为英文（此前用 /lang 选择）；/lang auto 跟随系统。",
    ),
    "zh": Text(
        "Chinese, as chosen with /lang; /lang auto follows the system.",
        "界面为中文（此前用 /lang 选择）；/lang auto 跟随系统。",
    ),
}
LANG_NOW = {
    "en": Text(
        "Switched to English, for later starts as well; /lang auto follows the system.",
        "已切换为英文，下次启动也用英文；/lang auto 跟随系统。",
    ),
    "zh": Text(
        "Switched to Chinese, for later starts as well; /lang auto follows the system.",
        "已切换为中文，下次启动也用中文；/lang auto 跟随系统。",
    ),
}
QUIT_HOW = Text("ctrl+q, f10 or /quit leaves.", "按 ctrl+q、f10 或输入 /quit 退出。")
KNOWLEDGE_FAILED = Text("The knowledge cannot be used: {why}", "知识库无法使用：{why}")
BUG = Text(
    "medic failed here ({what}); what it knew is kept. Please report it with {file}",
    "medic 在此出错（{what}），已有内容不受影响。请附上 {file} 报告此问题",
)
