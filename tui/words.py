"""Every text of the app, in both languages. What reports also say stands in medic.report.words."""

from __future__ import annotations

from medic.i18n import Text

# --- fixed rows -----------------------------------------------------------------------------

LOCAL = Text("local, nothing is sent", "仅在本机运行，不外传数据")
DEMO = Text("demo", "演示")
NO_FILES = Text("no files yet", "尚无文件")
SUSPECTS = Text("suspects", "嫌疑")
SUSPECT = Text("{word}: {title}", "{word}：{title}")
NOT_KNOWN = Text("not known yet", "尚未判断")
NO_SUSPECTS = Text("none", "无")
WHY_HINT = Text("f3 why", "f3 依据")
LOADING = Text("loading the knowledge", "正在加载知识库")
LOADING_LONG = Text(
    "compiling the knowledge, once for a version: half a minute or more",
    "正在编译知识库（每个版本仅首次启动需要），约需半分钟以上",
)
LOOKING_AT_RUNS = Text("looking at the end of each run", "正在查看各运行的末尾")
LOOKING = Text("looking at the evidence", "正在查看证据")
WEIGHING = Text("weighing what was found", "正在综合判断")
MORE_BELOW = Text("▼ more below: page down", "▼ 下面还有内容：按 page down")
MORE_ABOVE = Text("▲ more above: page up", "▲ 上面还有内容：按 page up")
ESC_CANCELS = Text("esc cancels", "esc 取消")
CHANGE_HERE = Text(
    "f4 shows the change; or describe what you see",
    "按 f4 查看修改，也可直接描述现象",
)
LOOK_HERE = Text(
    "after the next run: /look; or describe what you see",
    "再次运行后输入 /look，也可直接描述现象",
)
VALUE_HERE = Text(
    "type {name}=N and the change is computed; or describe what you see",
    "输入 {name}=数值 即可算出修改，也可直接描述现象",
)
TYPE_HERE = Text("describe what you see, or paste the error", "描述现象，或粘贴报错")
ANSWER_HERE = Text(
    "1-{n} and Enter answers, ? shows how to look, or describe what you see",
    "输入 1-{n} 回车作答，按 ? 看怎么查，也可直接描述现象",
)
ANSWER_OR_CHANGE = Text(
    "f4 shows the change; 1-{n} answers; or describe what you see",
    "按 f4 查看修改，输入 1-{n} 作答，也可直接描述现象",
)
CHOOSE_HERE = Text("choose 1-{n}, or describe what you see", "输入 1-{n} 选择，也可直接描述现象")

# --- the start ------------------------------------------------------------------------------

PASTED_TEXT = Text("Reading what was pasted.", "正在读取粘贴的内容。")
PASTED = Text("pasted text", "粘贴的文本")
NOT_READ = Text("not read: {file}: {why}", "未读取：{file}：{why}")
AND_MORE = Text("and {n} more: {word}", "另有 {n} 项：{word}")

# --- probes ---------------------------------------------------------------------------------

NEEDS = Text("needs {what}", "需要{what}")
ONE_FINDING = Text("1 finding", "1 条发现")
FINDINGS = Text("{n} findings", "{n} 条发现")
THIS_MACHINE = Text("this machine, not the run's", "本机，并非运行所在机器")
NOT_READ_TO_THE_END = Text(
    "Nothing can be said yet: the reading was stopped before its end.",
    "读取中途停止，还不能下结论。",
)
STOPPED = Text(
    "Stopped; {n} probes did not run. /look looks again.",
    "已停止，{n} 个探针未运行。/look 可重新查看。",
)
READ = Text("read", "已读取")
PROBES_ENDED = Text(
    "{n} probes: {found} found something, {quiet} nothing wrong (f5)",
    "{n} 个探针：{found} 个有发现，{quiet} 个未见异常（f5）",
)
PROBES_BESIDE = Text(
    "{n} probes, beside what the log says: {found} found something, {quiet} nothing wrong (f5)",
    "除日志本身外，{n} 个探针：{found} 个有发现，{quiet} 个未见异常（f5）",
)
NOTHING_TO_READ = Text("the other {n} had nothing to read", "其余 {n} 个没有可读的内容")
NO_PROBES = Text("No probe has run.", "还没有探针运行过。")

# --- what medic believes --------------------------------------------------------------------

EVIDENCE_MORE = Text("… {n} more: /why", "……另有 {n} 条：/why")
CONSEQUENCES = Text("Consequences, not causes:", "后果而非原因：")
ALSO_WRONG = Text("Also wrong, but not the cause of this:", "另有问题，但并非此次故障的原因：")
ONE_BESIDE = Text("1 more thing, wrong or unexplained: /report", "另有 1 处问题或疑点：/report")
BESIDE = Text("{n} more things, wrong or unexplained: /report", "另有 {n} 处问题或疑点：/report")
UNEXPLAINED = Text("Not explained by this:", "该原因无法解释：")
NOTES = Text("Worth knowing:", "值得留意：")
TELLTALE = Text("the log has a message that only this cause prints", "日志中有该原因特有的信息")
YOUR_ANSWER = Text("your answer", "你的回答")
UNCLEAR = Text(
    "Not clear yet. First suspect, {word}: {title} ({code})",
    "尚不明确。首要嫌疑（{word}）：{title}（{code}）",
)
UNCLEAR_MANY = Text(
    "Not clear yet: many causes are left. The first of them: {title} ({code})",
    "尚不明确，还有许多可能的原因。排在最前的是：{title}（{code}）",
)
IS_WRONG = Text("no failure, but wrong", "未见故障，但有误")
IS_WRONG_SET = Text("no failure, but set wrong", "未见故障，但配置有误")
IS_OPEN = Text("one of many", "众多可能之一")
ONLY_WRONG = Text(
    "No failure was seen, but this is wrong: {title} ({code})",
    "没有看到故障，但这里有问题：{title}（{code}）",
)
NEAREST = Text("The nearest is: {title} ({code}).", "最接近的是：{title}（{code}）。")
RULED_OUT = Text("ruled out: {title} (because: {finding})", "已排除：{title}（因为：{finding}）")
AND_N = Text("{titles}; and {n} more", "{titles}；另有 {n} 个")
CHECKED_IN = Text("checked and in order: {looked}", "已检查，正常：{looked}")
CHECKED = Text("checked and in order", "已检查，正常")
RULED_OUT_PLAIN = Text("ruled out: {title}", "已排除：{title}")
BACK_AGAIN = Text("possible again: {title}", "重新列入：{title}")
STILL = Text("Noted. Still first, {word}: {title}.", "已记下。首要嫌疑不变（{word}）：{title}。")
STILL_OPEN = Text(
    "Noted. Many causes are still left; the first of them: {title}.",
    "已记下。可能的原因仍有许多，排在最前的是：{title}。",
)
SURER = Text(
    "Noted. Still first, and now {word} (before: {before}): {title}.",
    "已记下。首要嫌疑不变，把握提高到“{word}”（之前：{before}）：{title}。",
)
LESS_SURE = Text(
    "Noted. Still first, but now only {word} (before: {before}): {title}.",
    "已记下。首要嫌疑不变，但把握降到“{word}”（之前：{before}）：{title}。",
)
NOW_LEADS = Text(
    "Now first, {word}: {title} (before: {before}).",
    "首要嫌疑变为（{word}）：{title}（之前：{before}）。",
)
RANKED_ANEW = Text(
    "Noted: “{title}”. The causes are ranked anew with it.",
    "已记下：“{title}”，并据此重新排序。",
)
FROM_WORDS = Text(
    "This is from your words alone. With /add PATH medic reads the run's folder itself.",
    "以上仅依据你的描述。输入 /add 路径，medic 会自己读取运行目录。",
)
LEFT_OVER = Text("It does not explain: {title}", "它无法解释：{title}")
NOTED = Text("Noted.", "已记下。")
HEALTHY = Text(
    "The log shows no failure, the curves are as they should be, and the configuration passes "
    "its checks.",
    "日志无故障，曲线正常，配置通过检查。",
)
NO_FAULT = Text(
    "Nothing that was read points to a failure. That is no proof of health: /probes lists what "
    "was not checked.",
    "已读内容中没有指向故障的迹象，但这不等于一切正常：/probes 列出未检查的内容。",
)
PASSED_OVER = Text(
    "Seen, and passed over because the run went on after it: {title}",
    "看到过，但此后运行仍在继续，因此不作为故障：{title}",
)
DESCRIBE = Text(
    "If something still worries you, describe it or paste the lines.",
    "如果仍有异常，请描述现象或粘贴相关日志。",
)

# --- questions ------------------------------------------------------------------------------

MINUTES = Text("about {n} min", "约 {n} 分钟")
UNDER_A_MINUTE = Text("under a minute", "不到一分钟")


def minutes(n: float) -> Text:
    """How long looking takes."""
    return MINUTES.fill(n=f"{n:g}") if n >= 1 else UNDER_A_MINUTE


DONT_KNOW = Text("I don't know", "不知道")
THEN = Text("-> {title}", "-> {title}")
HOW_TO_LOOK = Text("? how to look", "? 怎么查")
WHY_ASKED = Text("f3 the reason", "f3 为什么问")
HAND_OVER = Text("/report hands over what is known", "/report 生成交接报告")
CHANGE_ALREADY = Text("f4 the change", "f4 查看修改")
HOW = Text("How to look: {how}", "怎么查：{how}")
ASKS_USAGE = Text(
    "This asks how something is done and tells of no failure; medic explains failures, their causes "
    "and settings: medic explain NAME.",
    "这是在问用法，没有说到故障；medic 解释的是故障及其原因和设置：medic explain 名称。",
)
EXPLAINS = Text("medic explain {name}: {title}", "medic explain {name}：{title}")
DID_YOU_MEAN = Text("Did you mean:", "你指的是：")
NONE_OF_THESE = Text("none of these", "都不是")
NO_SYMPTOM = Text(
    "No symptom that medic knows is near this. Paste the error lines themselves, or say it in "
    "other words.",
    "medic 没有接近的症状。请直接粘贴报错原文，或换一种说法。",
)
NOTHING_TAKEN = Text(
    "This does not help to find the fault. Describe what you see, or paste the error lines.",
    "这些内容无助于判断故障。请描述现象，或粘贴报错原文。",
)
NOT_MATCHED = Text(
    "Then paste the lines where it goes wrong, or say it in other words.",
    "那么请粘贴出错处的日志，或换一种说法。",
)
NO_CHOICE = Text("Nothing is asked just now.", "当前没有等待回答的问题。")
NOT_A_CHOICE = Text("Answer with one number from 1 to {n}.", "请输入 1 到 {n} 中的一个数字。")
TAKES_NOTHING = Text(
    "{word} takes nothing behind it, and nothing was done: {near}.",
    "{word} 后面不能带参数，因此未执行：{near}。",
)
NOT_YES_NO = Text(
    "This is no yes-or-no question; answer with a number.",
    "这不是是非题，请输入数字。",
)
TAKEN_AS = Text("Took this as {kinds}. Looking again.", "已识别为：{kinds}。重新查看。")
PASTE_KINDS = {
    "log": Text("log lines ({n})", "日志（{n} 行）"),
    "prose": Text("a description ({n})", "描述（{n} 行）"),
    "config": Text("settings ({n})", "配置（{n} 行）"),
    "command": Text("a command ({n})", "命令（{n} 行）"),
}
FOLLOWED = Text("Going on in Chinese; /lang en goes back.", "已切换为中文；/lang en 可切回英文。")
FOLLOWED_BACK = Text(
    "Going on in English; /lang zh goes back.", "已切换为英文；/lang zh 可切回中文。"
)
LINES_IN_ALL = Text("… {n} lines in all", "……共 {n} 行")

# --- decided --------------------------------------------------------------------------------

DECIDED = Text("What to do (decided; f3 says why):", "处置（结论已定；f3 查看依据）：")
DECIDED_BY_HAND = Text(
    "What to do, by hand (decided; f3 says why):",
    "需手动处置（结论已定；f3 查看依据）：",
)
DO_NOW = Text(
    "What to do now (no answer to the question below would change it):",
    "现在就可以这样做（下面的问题无论怎么回答都不影响这一步）：",
)
DO_FIRST = Text(
    "What to do first (it stays first whatever is answered below; an answer may make it less sure):",
    "可以先这样做（无论下面怎么回答，它都排在最前；但把握可能降低）：",
)
AS_BEFORE = Text("What to do is as told above:", "处置同上：")
IF_YOU_LIKE = Text("(optional, to be surer) {question}", "（可选，回答后结论更可靠）{question}")
STILL_IF_YOU_LIKE = Text(
    "(still open, optional) {question} {answers}", "（仍可回答，可选）{question} {answers}"
)
WRONG_HOW = Text("What to do about it:", "处置：")
BEST_GUESS = Text(
    "What to do, in this order (no question left would change it; f3 says why):",
    "请按以下顺序处置（剩下的问题都不会改变结论；f3 查看依据）：",
)
BEST_GUESS_OPEN = Text(
    "What to do, in this order (nothing more is asked here; f3 says what could still change it):",
    "请按以下顺序处置（不再提问；f3 列出仍可能改变结论的检查）：",
)
AFTER_RUN = Text(
    "After the next run: /look reads its log (/add PATH, if it lies elsewhere). If the remedy did "
    "not help: /tried.",
    "再次运行后：/look 读取新日志（日志在别处则用 /add 路径）。如果没有效果，输入 /tried。",
)
OR_UNDO = Text("; /undo takes this back", "；/undo 撤回")
NONE_HOW = Text(
    "What was ruled out, and by what: /graph. To go on: paste more of the log, /add a file, or "
    "describe what you see{undo}.",
    "排除了什么、依据何在：/graph。继续：粘贴更多日志、用 /add 添加文件或描述现象{undo}。",
)
UNSAFE_IS = Text(
    "unsafe: it may change what is learned, or lose something; weigh the costs first",
    "有风险：可能改变训练结果或造成损失，请先看清代价",
)
SHOW_CHANGE = Text(
    "f4 shows the change; nothing is written before you say so",
    "f4 查看修改，确认之前不会写入任何文件",
)
SHOW_CHANGE_OF = Text("/patch {n} shows the change", "/patch {n} 查看修改")
IF_NOT = Text("If that does not help:", "若无效，再试：")
AGAINST_OTHERS = Text("Against what else may be wrong:", "针对其他可能的问题：")
FOR_CAUSE = Text("{cause}: {title}", "{cause}：{title}")
OF_CAUSE = Text("{title}, against: {cause}", "{title}，针对：{cause}")
SHOW_IT = Text("/patch {n}", "/patch {n}")
MORE_ADVICE = Text("{n} more that should not be done: f3", "另有 {n} 条不该做的：f3")
TYPE_IT = Text("type it: {name}=N", "可直接输入：{name}=数值")
CANNOT_COMPUTE = Text("to compute the numbers: {names}", "计算数值还缺：{names}")
WORKED_IF = Text("worked if: {check}", "有效的标志：{check}")
COSTS = Text("costs: {say}", "代价：{say}")
