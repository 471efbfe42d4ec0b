"""Texts of what comes after a remedy."""

from __future__ import annotations

from medic.i18n import Text

RUN_THIS = Text("Run this in another terminal to check:", "在另一个终端运行以下命令验证：")
RUN_AGAIN = Text(
    "To check, start the run again as you did before, with its log in this folder.",
    "验证：像之前那样重新启动运行，并把日志写到此目录。",
)
IT_WORKED_IF = Text("It worked if: {check}", "有效的标志：{check}")
STAYS_AWAY = Text("“{title}” does not come back", "不再出现“{title}”")
STAYS_AWAY_FOR = Text(
    "“{title}” does not come back within {n} steps", "{n} 步之内不再出现“{title}”"
)
IN_THE_DEMO = Text(
    "(This is the demo: there is nothing to run. In your run, medic would now read the new log.)",
    "（演示中没有可运行的任务。实际使用时，medic 会在此读取新日志。）",
)
DID_YOU_RUN = Text("When it has run:", "运行之后：")
READ_NEW = Text("read the new log", "读取新日志")
TAKE_BACK = Text("take the change back", "撤销修改")
ANEW = Text(
    "leave the change as it is, and look at this run as if anew",
    "保留修改，把这次运行当作新的来看",
)
LATER = Text("later", "稍后")
WHENEVER = Text(
    "/look reads the new log whenever it is there; this session is kept.",
    "有了新日志后随时可用 /look 读取；本次会话已保存。",
)
NO_LOG = Text(
    "There is no log of a run after the change. /add PATH adds one.",
    "还没有修改之后的日志。可用 /add 路径 添加。",
)
OLD_LOG = Text(
    "No log is newer than the change: {file} was last written at {at}, the change is of {since}. "
    "Run it, or /add the new log.",
    "没有比这次修改更新的日志：{file} 最后写于 {at}，修改于 {since}。请先运行，或用 /add 添加新日志。",
)
NOTHING_BUT_PASTED = Text(
    "No log is new since the last look: what was pasted is all there is. Paste the end of the new "
    "log, or /add PATH.",
    "上次查看之后没有新日志：目前只有粘贴的内容。请粘贴新日志的末尾，或用 /add 路径 添加。",
)
NOTHING_NEW = Text(
    "No log is new since the last look: {file} is as it was written at {at}. Where the new run "
    "writes elsewhere: /add PATH.",
    "上次查看之后没有新日志：{file} 仍是 {at} 写的那份。新日志在别处时用 /add 路径 添加。",
)
NO_RUN_YET = Text(
    "No run with {change} has been seen, so it counts against nothing yet. When it has run:",
    "还没有看到带有 {change} 的运行，因此暂不计为无效。运行之后：",
)
RAN_IN_VAIN = Text(
    "it ran with the change and failed as before; its log is elsewhere",
    "已带着修改运行过，问题依旧；日志在别处",
)
SAID_IN_VAIN = Text(
    "Noted: {change} did not help, as you say; its remedy counts as tried. What fails now stands in "
    "the new log: paste its last lines here, or put the log into this folder and choose 1. Was the "
    "change in force in that run?",
    "已记下：按你所说，{change} 没有效果，该处置计为已试。现在为什么失败要看新日志：请把末尾几十行贴到这里，"
    "或把日志放进此目录后选 1。另请确认那次运行确实用上了这个修改。",
)
GONE = Text(
    "Fixed, as far as the new log shows: no more “{titles}” since {change} ({why}).",
    "从新日志看已修复：{change} 之后“{titles}”不再出现（{why}）。",
)
GONE_WITHOUT = Text(
    "Gone, as far as the new log shows: no more “{titles}” ({why}). But that run did not have {change}, "
    "so it was not this change that mended it.",
    "从新日志看，“{titles}”不再出现（{why}）。但这次运行并未用到 {change}，所以不是它修好的。",
)
GONE_UNSURE = Text(
    "Gone, as far as the new log shows: no more “{titles}” ({why}). That run may not have had {change}: "
    "its script names a file that is not on this machine.",
    "从新日志看，“{titles}”不再出现（{why}）。但启动脚本读取的文件不在本机，这次运行未必用到了 {change}。",
)
GONE_BY_HAND = Text(
    "Fixed, as far as the new log shows: no more “{titles}” ({why}).",
    "从新日志看已修复：“{titles}”不再出现（{why}）。",
)
GONE_TOO = Text(
    "Gone with this run as well: “{titles}”, since {change} ({why}).",
    "{change} 之后，这次运行也不再出现“{titles}”（{why}）。",
)
GONE_TOO_BY_HAND = Text(
    "Gone with this run as well: “{titles}” ({why}).",
    "这次运行也不再出现之前的“{titles}”（{why}）。",
)
RETURNS = Text(
    "With this change the next run no longer showed “{titles}”: without it, expect it again.",
    "修改之后的运行不再出现“{titles}”，撤销后很可能再次出现。",
)
BACK_AGAIN = Text(
    "So “{titles}” is to be expected in the next run: the log that is here is of the run with the "
    "change.",
    "因此下一次运行很可能再次出现“{titles}”：目前的日志来自带有该修改的那次运行。",
)
BUT_FOR_TIMES = Text(
    "The new log is the same log but for its times.", "除时间外，新日志与之前的完全相同。"
)
EARLY = Text(
    "Too early to tell whether “{titles}” is mended: {why}.",
    "还看不出“{titles}”是否已修复：{why}。",
)
NOTHING_YET = Text(
    "Nothing trained yet, so nothing can be said of “{titles}”: {why}.",
    "还没有开始训练，无法判断“{titles}”是否已修复：{why}。",
)
STILL_THE_SAME = Text(
    "The same as before: {why}. “{titles}” is not mended by this; the remedy is marked as no help.",
    "与之前一样：{why}。“{titles}”并未因此修复；该处置已标记为无效。",
)
STILL_BY_HAND = Text(
    "The same as before: {why}. “{titles}” is not mended.",
    "与之前一样：{why}。“{titles}”并未修复。",
)
SAME_LOG = Text(
    "It is the same log as before, byte for byte, so it tells nothing of the change. The log of the "
    "new run must be in this folder, or /add PATH.",
    "这份日志与之前的逐字节相同，不能说明修改是否有效。请把新一次运行的日志放到此目录，或用 /add 路径 添加。",
)
SAME = Text(
    "The same again: “{titles}” is still there. The remedy is marked as no help, and the causes "
    "are ranked anew.",
    "问题依旧：仍然出现“{titles}”。该处置已标记为无效，并重新排序。",
)
SAME_FURTHER = Text(
    "The same again: “{titles}” is still there. {change} was not enough; its remedy goes a step "
    "further from where the files are now.",
    "问题依旧：仍然出现“{titles}”。{change} 还不够，可在当前文件的基础上再进一步。",
)
OTHER = Text(
    "Gone: “{titles}”. Something else has come up: a new episode.",
    "“{titles}”不再出现，但出现了新的问题，按新的故障处理。",
)
OTHER_FIRST = Text(
    "Something else has come up, a new episode; whether “{titles}” is mended is still open: {why}.",
    "出现了新的问题，按新的故障处理；“{titles}”是否已修复仍不确定：{why}。",
)
UNSEEN = Text(
    "The fault was never in a log, only in your words: say whether it is gone.",
    "此前的问题只来自你的描述，日志中没有：请告诉我它是否消失。",
)
APPLIED_ALREADY = Text(
    "{change} is applied; its run has not been seen yet. The remedies for the files as they are "
    "now:",
    "{change} 已应用，尚未看到其运行结果。针对当前文件的处置：",
)
UNREAD = Text(
    "The new log could not be read to its end: nothing can be said yet. /look reads it again.",
    "新日志未能读完，还不能下结论。可用 /look 再次读取。",
)
OLDER = Text(
    "The log has grown, but its run began before the change {change}: it tells nothing of it yet. "
    "Start the run anew, then /look.",
    "日志有新内容，但这次运行在修改 {change} 之前就已开始，还不能说明修改是否有效。请重新启动运行，再用 /look。",
)
NOT_IN_FORCE = Text(
    "“{titles}” is still there, but {files} no longer holds the change {change}: the run did not "
    "have it, and the remedy is not marked as no help.",
    "仍然出现“{titles}”，但 {files} 中已没有修改 {change}：这次运行并未用到它，因此不把该处置记为无效。",
)
MAYBE_NOT_IN_FORCE = Text(
    "“{titles}” is still there, but the run need not have had the change {change}: the remedy is "
    "not marked as no help.",
    "仍然出现“{titles}”，但这次运行未必用到了修改 {change}：因此不把该处置记为无效。",
)
RATE_AS_SET = Text(
    "Its learning rate reaches {rate}, as {change} sets it: the run had the change.",
    "新运行的学习率最高为 {rate}，与 {change} 的设置一致：这次运行用到了该修改。",
)
RATE_NOT_AS_SET = Text(
    "Its learning rate reaches {rate}, not {new} as {change} sets it: the run did not have the change.",
    "新运行的学习率最高为 {rate}，而 {change} 设为 {new}：这次运行没有用到该修改。",
)
EDITED = Text(
    "{files} has changed since this run, and no log of a newer run is here: what was found is of "
    "the run as it was. Run again, then /look.",
    "{files} 在这次运行之后有改动，但还没有新的运行日志：上面的结论针对当时的运行。请重新运行，再用 /look。",
)
EDITED_READ = Text(
    "{files} has changed since the last look, and no log of a newer run is here: what follows takes "
    "the file as it is now, which is not what ran.",
    "{files} 在上次查看之后有改动，但还没有新的运行日志：以下按文件现在的内容判断，与当时的运行不一致。",
)
LINT_IT = Text("To check the new settings alone: {command}", "只检查新的设置：{command}")
READS_ANOTHER = Text(
    "The run reads {file} (says {script}), not the file that was changed: make the change there.",
    "这次运行读取的是 {file}（见 {script}），不是改过的文件：请在那里做同样的修改。",
)
READS_THERE = Text(
    "The run reads {file} (says {script}), not this file.",
    "这次运行读取的是 {file}（见 {script}），不是这个文件。",
)
LINES_FOR = Text(
    "{file} is not here, or cannot be written. The lines that {changed} has now:",
    "{file} 不在本机或不可写。{changed} 中现在的写法：",
)
CHANGE_THERE = Text("look at {file} and show its change", "读取 {file} 并显示对它的修改")
MADE_THERE = Text(
    "I made the change in {file} by hand, before this run",
    "这次运行之前我已手动在 {file} 中做了同样的修改",
)
# What the run after a change showed of it, in the hand-over.
SHOWN = {
    "gone": Text("the next run no longer shows the fault", "下一次运行不再出现该问题"),
    "gone-without": Text(
        "the next run no longer shows the fault, but did not have this change",
        "下一次运行不再出现该问题，但没有用到这个修改",
    ),
    "gone-unsure": Text(
        "the next run no longer shows the fault; whether it had this change is not known",
        "下一次运行不再出现该问题；是否用到了这个修改尚不清楚",
    ),
    "same": Text("the next run shows the same fault", "下一次运行仍有同样的问题"),
    "other": Text("the next run shows another fault", "下一次运行出现了别的问题"),
    "still": Text("the next run measures the same", "下一次运行的指标与之前一样"),
    "not-in-force": Text("the next run did not have it", "下一次运行没有用到它"),
    "": Text("no run has shown it yet", "尚未有运行验证"),
}
