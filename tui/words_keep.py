"""Texts of evidence at the start, of sessions that are kept, and of what was understood."""

from __future__ import annotations

from medic.i18n import Text

# --- the evidence ---------------------------------------------------------------------------

FOUND = Text("Found in {root} ({n}):", "在 {root} 中找到（{n} 项）：")
LEAVE_OUT = Text("/drop N leaves one out, /add PATH adds", "/drop 编号 可排除，/add 路径 可添加")
MORE_FILES = Text("and {n} more: /files", "另有 {n} 项：/files")
OF_RANK = Text("{kind} of rank {rank}", "rank {rank} 的{kind}")
READ_AS = Text("{kind}, {size}", "{kind}，{size}")
KIND = {
    "log": Text("log", "日志"),
    "metrics": Text("metrics", "指标文件"),
    "config": Text("configuration", "配置"),
    "model-config": Text("model configuration", "模型配置"),
    "script": Text("launch script", "启动脚本"),
    "python": Text("Python source", "Python 源码"),
    "checkpoint": Text("checkpoint", "检查点"),
    "gpu-report": Text("GPU report", "GPU 报告"),
    "gpu-series": Text("GPU samples over time", "GPU 时间序列"),
    "flight-recorder": Text("flight recorder dump", "flight recorder 转储"),
    "stacks": Text("stack dump", "调用栈转储"),
    "data": Text("data", "数据"),
    "benchmark": Text("benchmark output", "基准测试输出"),
    "note": Text("note", "说明文字"),
    "other": Text("file", "文件"),
}
ALL_FILES = Text("All that was given ({n}):", "全部材料（{n} 项）：")
NO_FILES = Text("No file was given.", "没有给出文件。")
DROP_WHAT = Text(
    "/drop takes a number or a name of /files.", "/drop 的参数是 /files 中的编号或文件名。"
)
DROPPED = Text("Left out: {file}", "已排除：{file}")
WHAT_IS_WRONG = Text(
    "Nothing to read here yet. What goes wrong?", "这里还没有可读的内容。出了什么问题？"
)
OR_SAY = Text(
    "Or say it in your own words, paste the error lines, or /add PATH to a run folder.",
    "也可以用自己的话描述、粘贴报错，或用 /add 路径 添加运行目录。",
)
COMPLAINTS = (
    ("cuda-out-of-memory", Text("out of GPU memory", "显存不足")),
    ("loss-nan", Text("the loss is NaN or Inf", "loss 变成 NaN 或 Inf")),
    ("loss-plateau", Text("the loss does not go down", "loss 不下降")),
    ("training-hangs", Text("it hangs, nothing moves", "卡住不动")),
    ("training-slow", Text("it is too slow", "太慢")),
    ("python-exception", Text("it stops with an error message", "报错退出")),
)
SOMETHING_ELSE = Text("something else", "其他问题")
TELL_ME = Text(
    "Then describe it, or paste the lines where it goes wrong.",
    "那么请描述现象，或粘贴出错处的日志。",
)
WHICH_RUN = Text("Several runs are here. Which one?", "此处有多个运行，要看哪一个？")
NEWEST = Text("the newest", "最新")
RUN_STATES = {
    "failed": Text("failed", "失败"),
    "writes": Text("still writing", "仍在写入"),
    "ended": Text("came to its end", "正常结束"),
    "silent": Text("stops without a word", "日志中断，未说明原因"),
    "unknown": Text("no fault in its last lines", "末尾未见异常"),
}
RUN_FAILED = Text("failed: {title}", "失败：{title}")
AT_STEP = Text("step {step}", "第 {step} 步")
OTHER_RUNS = Text("{n} older: /run NAME", "另有 {n} 个较早的运行：/run 名称")

PASTED_ALONE = Text(
    "What you pasted is of another run than {files}: it is looked at by itself, with the "
    "configuration that lies here. A log that is written after this counts again; f8 takes the "
    "paste back.",
    "粘贴的日志与 {files} 不属于同一次运行：以下只看粘贴的内容，配置取自这里的文件。此后写入的新日志会重新计入；"
    "f8 可撤回粘贴。",
)

# --- what was understood --------------------------------------------------------------------

UNDERSTOOD = Text("I understood:", "我的理解：")
QUOTE = Text("“{words}”", "“{words}”")
OVERRULES = Text("{where} says {value}; yours counts", "{where} 为 {value}，以你说的为准")
SAID_OTHERWISE = Text(
    "You said {said}, but {where} says {read}: the file counts. If the run had what you said, "
    "type {name}={value}.",
    "你说的是 {said}，但 {where} 为 {read}，以文件为准。若运行时确实是你说的值，请输入 {name}={value}。",
)
OTHER_VALUES = Text("Other settings than before:", "与之前不同的设置：")
NO_VALUE_NOW = Text("{what}: {old} -> not stated", "{what}：{old} -> 未写明")
AND_OTHERS = Text("and {n} more", "另有 {n} 项")
NO_FIELD = Text(
    "No value of the run was taken from {names}{hint}", "未从 {names} 中读到训练的参数值{hint}"
)
WHICH_SIZE = Text(
    "{card}: {sizes} GB? Say {one}G, for example: what fits is reckoned with it.",
    "{card}：{sizes} GB？估算显存要用到，例如回答 {one}G。",
)
NOT_USED = Text(
    "Not used: {names}. medic has no data on this. Of a model give the hidden size, layers and heads, "
    "or /add its config.json; of a GPU /add the nvidia-smi output.",
    "未采用：{names}。medic 没有相关数据。模型请给出隐藏层维度、层数、头数，或用 /add 添加其 config.json；"
    "GPU 请用 /add 添加 nvidia-smi 的输出。",
)
FIELDS_BY = Text(
    "medic explain fields lists what it takes.", "medic explain fields 列出可识别的字段。"
)
TAKEN_LATER = Text(
    "It counts from the next look on: /look, when the new log is there.",
    "将从下次查看起生效：有新日志后用 /look。",
)
CORRECT = Text("Not so? /change N takes it out.", "理解有误？/change 编号 可去掉。")
SAID_SO_FAR = Text("What you have said so far:", "你目前说过的：")
CHANGE_HOW = Text(
    "/change N asks a question again, or takes a reading out.",
    "/change 编号：重新回答该问题，或去掉该理解。",
)
NOTHING_SAID = Text("You have answered nothing yet.", "你还没有回答过问题。")
NO_SUCH_SAYING = Text("There are: {numbers}.", "可用的编号：{numbers}。")
TAKEN_OUT = Text("Taken out: {what}", "已去掉：{what}")
BEFORE_IT_WAS = Text("(your answer was: {answer})", "（之前的回答：{answer}）")

# --- keeping --------------------------------------------------------------------------------

NOT_KEPT = Text("This session cannot be kept: {why}", "无法保存本次会话：{why}")
OPEN_TOO = Text(
    "{id} is open in another terminal: this is a look at it, and nothing is written to it from here. "
    "The first thing you say or change here begins a copy of its own.",
    "{id} 在另一个终端中打开着：这里只是查看，不会写入该会话。在这里说的第一句话或第一次修改会另存为一个副本。",
)
COPY_BEGUN = Text(
    "From here on this is {id}, a copy of {of}; {of} goes on in the other terminal without it.",
    "从这里起是 {id}，即 {of} 的副本；{of} 在另一个终端中继续，不受影响。",
)
SAID_BEFORE = Text(
    "Said before it was left, and taken only now: “{words}”",
    "上次离开前说的，现在才处理：“{words}”",
)
KEPT_IN_PART = Text(
    "Not all of this session is kept ({why}). medic resume {id} goes on with what was kept before.",
    "本次会话没有全部保存（{why}）。medic resume {id} 可从已保存的部分继续。",
)
RESUMED = Text(
    "Going on with {id}; the files are read again as they are now.",
    "继续会话 {id}；文件按现在的内容重新读取。",
)
TAKEN_BACK_SINCE = Text(
    "The {what} was taken back meanwhile: its run is no longer awaited.",
    "{what}此后已撤销，不再等待其运行。",
)
WAITS_FOR_RUN = Text(
    "Going on with {id}: a change that was made here waits for the next run.",
    "继续会话 {id}：之前在这里做的修改还在等下一次运行。",
)
ANEW = Text("A fresh consultation.", "已重新开始。")
ANEW_KEPT = Text(
    "A fresh consultation. The one before is kept: /resume {id}.",
    "已重新开始。之前的会话已保存，/resume {id} 可继续。",
)
BEFORE = Text(
    "You were here before ({id}): {what}. /resume {id} goes on with it.",
    "你之前看过这里（{id}）：{what}。/resume {id} 可继续。",
)
SESSIONS = Text("Sessions, the newest first:", "会话，最新的在前：")
NO_SESSIONS = Text("No session is kept yet.", "还没有保存过会话。")
KEPT = Text(
    "This session is kept. To go on with it: medic resume {id}",
    "本次会话已保存。继续：medic resume {id}",
)
RESUME_WITH = Text(
    "/resume ID goes on with one; medic show ID prints it.",
    "/resume 编号 继续；medic show 编号 可输出。",
)
REPORT_TITLE = Text("Hand-over report", "交接报告")
REPORT_AT = Text(
    "The whole talk as Markdown: medic show {id} (--redact hides names)",
    "完整记录（Markdown）：medic show {id}（--redact 隐去名称）",
)
SEEN = Text("Seen:", "观察到：")
STANDS = Text("Suspected:", "嫌疑：")
IN_ORDER = Text("In the order of time:", "按时间先后：")
OUT = Text("Ruled out:", "已排除：")
ASKED = Text("Asked and told:", "问过和说过：")
OPEN = Text("Not checked; it would need:", "未检查，还需要：")
FOUND_BY = Text("Found something:", "有发现：")
NOTHING_WRONG = Text("Read, and nothing wrong:", "已读取，未见异常：")
NOTHING_THERE = Text("Nothing wrong, or nothing of the kind here:", "未见异常，或没有这类内容：")
FAILED = Text("{probe} failed: {error}", "{probe}：出错（{error}）")
WOULD_TELL = Text("What would tell most:", "最能说明问题的：")
FIXED = Text("Fixed in this talk, as far as the logs show:", "本次会话中已修复（据日志）：")
FIXED_BY = Text("by {change}", "通过 {change}")
BY_HAND = Text("by hand", "手动处理")
DONE = Text("Done:", "已做：")
GIVEN_TO_NONE = Text(
    "Not taken: {number}; no value of the run is named for it.",
    "未采纳：{number}；没有指明它是哪一项的值。",
)
ANSWERS_TO = Text("To “{words}”:", "针对“{words}”：")
