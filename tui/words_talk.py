"""Texts of what plain sentences of the talk lead to: guesses, causes ruled out, words held back."""

from __future__ import annotations

from medic.i18n import Text

# --- words that the files speak against ---------------------------------------------------------

HELD = Text("said, and not counted: the files show otherwise", "已记下，未计入：与文件不符")
YOU_SAY = Text("You say “{words}”; the files show: {finding}", "你说“{words}”；文件显示：{finding}")
FILES_HOLD = Text(
    "The files hold, so this does not count. If it is so all the same: /change {n}.",
    "以文件为准，这句话未计入。如确实如此：/change {n}。",
)
ANOTHER_MATTER = Text(
    "Noted: “{words}”. By itself it does not speak against what the files establish: {finding}",
    "已记下：“{words}”。它本身并不否定文件已经坐实的：{finding}",
)
SAME_MATTER = Text(
    "So it is kept and not counted for the cause. If it belongs to the same fault: /change {n}.",
    "因此保留这句话，但不用来判断原因。如果它与故障是同一件事：/change {n}。",
)
WHAT_OF_IT = Text("“{words}”: what shall hold?", "“{words}”：以哪个为准？")
COUNT_IT = Text("it is so: count it", "确实如此：计入")
KEEP_HELD = Text("the files hold: leave it as it is", "以文件为准：保持不变")
FORGET_IT = Text("forget what I said", "删除这句话")
COUNTED = Text("Counted as you say.", "已按你所说计入。")
FORGOTTEN = Text("Taken out: “{words}”.", "已去掉：“{words}”。")

# --- guesses ------------------------------------------------------------------------------------

A_GUESS = Text(
    "A guess, taken as a question and not as evidence: {title} ({code}), {word}.",
    "这是猜测，只作比较，不计为证据：{title}（{code}），{word}。",
)
A_GUESS_OF_FAMILY = Text(
    "A guess, taken as a question and not as evidence. The nearest causes of that kind:",
    "这是猜测，只作比较，不计为证据。这一类中最接近的原因：",
)
A_GUESS_UNKNOWN = Text(
    "A guess, taken as a question and not as evidence; medic knows no cause that these words name. "
    "What is known points to: {title} ({code}), {word}. f7 shows the other suspects.",
    "这是猜测，不计为证据；medic 没有与之对应的原因。目前的证据指向：{title}（{code}），{word}。"
    "f7 可查看其他嫌疑。",
)
VOUCHED = Text(
    "Noted. That it looks well rules out no cause by itself; /ruleout CODE takes one out of question:",
    "已记下。看起来正常还不足以排除原因；确定不是时用 /ruleout 代码 排除：",
)
VOUCHED_ONLY = Text(
    "Noted. It changes nothing so far: what goes wrong tells more; /ruleout takes a cause out.",
    "已记下，但目前不影响判断：描述哪里不对更有用；/ruleout 可排除某个原因。",
)
OF_FAMILY = Text("{title} ({code}), {word}", "{title}（{code}），{word}")
WOULD_TELL = Text("would tell: {look}", "看这一点可以判断：{look}")
SPEAKS_FOR = Text("speaks for it: {finding}", "支持：{finding}")
SPEAKS_AGAINST = Text("speaks against it: {finding}", "反对：{finding}")
NOTHING_OF_IT = Text(
    "Nothing that was read speaks for it or against it.", "已读内容既不支持也不反对它。"
)
IT_LEADS = Text("It is the first suspect already.", "它已是首要嫌疑。")
COMPARE_IT = Text(
    "/compare {first} {code} sets the two side by side.", "/compare {first} {code} 可并列比较二者。"
)

# --- ruling out by hand -------------------------------------------------------------------------

NOT_THIS = Text("not this: {title}", "不是：{title}")
RULED_OUT_NOW = Text(
    "Ruled out by you: {title} ({code}). /change {n} or f8 takes it back.",
    "由你排除：{title}（{code}）。/change {n} 或 f8 可收回。",
)
RULED_ALREADY = Text("You have ruled out {title} already.", "你已排除过{title}。")
SPOKE_FOR_IT = Text("(what was seen for it stays: {finding})", "（支持它的证据仍保留：{finding}）")
RULE_OUT_WHICH = Text(
    "/ruleout takes a number of these, or a cause by its name or code:",
    "/ruleout 的参数是以下编号，或原因的名称、代码：",
)
NO_SUSPECT = Text("There is no suspect to rule out.", "没有可排除的嫌疑。")

KNOWN_ALREADY = Text("known already: {finding}", "已知：{finding}")

# --- how much a finding tells -------------------------------------------------------------------

ALL_BUT_CONFIRMS = Text(
    "speaks very strongly for it but does not settle it",
    "极有力支持，但尚不足以确诊",
)

# --- what was tried, and what may be ------------------------------------------------------------

WHICH_TRIED = Text(
    "Which of these did not help? /tried N counts it. If it is none of them, it says nothing against "
    "the first suspect.",
    "哪一项无效？/tried 编号 可记为已试。如果不在其中，它并不能否定首要嫌疑。",
)
NOT_ADVISED = Text(
    "It is none of the remedies against {title}. Those are:",
    "它不在针对{title}的处置之列。可用的有：",
)
NOT_FOUND_OUT = Text(
    "There is nothing to do yet: no cause was found.", "目前还没有可执行的处置：尚未找到原因。"
)

# --- what is said back ---------------------------------------------------------------------------

STILL_FAILS = Text(
    "Then the log of that run tells more: none is new here since the last look. Paste its last "
    "lines, /add PATH where it lies elsewhere, or /look when it is there.",
    "那要看那次运行的日志：上次查看之后这里没有新日志。请粘贴其末尾几十行；日志在别处用 /add 路径，放好后用 /look。",
)
STILL_WHICH = Text(
    "Which of these did you do before it? /tried N counts it as no help:",
    "在那之前你做了哪一项？/tried 编号 可记为无效：",
)
PASTE_WHAT = Text(
    "What tells most: the log of the run that fails, to its last line, with the first error of each "
    "rank. Paste it, or /add PATH takes the run's folder with the configuration and the launch script.",
    "最有用的是失败那次运行的日志：直到最后一行，并包含各 rank 的第一条报错。直接粘贴即可；"
    "/add 路径 可加入整个运行目录，连同配置和启动脚本。",
)
KNOWN_FROM = Text("{title} ({code}) is known from:", "{title}（{code}）的出处：")
EXPLAIN_BY = Text(
    "medic explain {code} shows all of it: why it happens, what one sees, what it is mistaken for.",
    "medic explain {code} 查看完整条目：为什么发生、会看到什么、容易与什么混淆。",
)
PREVENT = Text(
    "Before the next start: medic lint checks the configuration and the launch script, medic preflight "
    "the machine, medic memory whether it fits.",
    "下次启动之前：medic lint 检查配置和启动脚本，medic preflight 检查机器，medic memory 估算显存是否够用。",
)
SHORTLY = Text("In short, {word}: {title} ({code})", "简单说，{word}：{title}（{code}）")
CHANGE_WAITS = Text(
    "{change} was written against it; no run has shown yet whether it helps.",
    "已针对它做了修改 {change}，尚无运行验证是否有效。",
)
REPORT_BY = Text(
    "/report is the whole case to hand over; /why the evidence.",
    "/report 生成完整的交接报告；/why 查看依据。",
)
NO_CAUSE_YET = Text("No cause was found in what was read.", "已读内容中没有找到原因。")
ELSE = Text("Behind the first suspect:", "排在首要嫌疑之后的：")
NOTHING_ELSE = Text(
    "Nothing else that medic knows fits what was seen.",
    "在 medic 已知的原因中，没有其他与所见相符的。",
)
GRAPH_BY = Text(
    "/graph shows what was ruled out and by what; /none says that it is none of these.",
    "/graph 显示排除了什么、依据何在；/none 表示都不是。",
)
WORKED_BEFORE = Text(
    "Then what is other than in the run that worked is the place to look: settings, data, versions, or "
    "the machine. Say which of them changed, or let medic compare: medic diagnose THIS_RUN --baseline "
    "RUN_THAT_WORKED",
    "那就要看与正常的那次相比变了什么：设置、数据、版本还是机器。请说出哪一项变了，或让 medic 比较："
    "medic diagnose 这次的目录 --baseline 正常那次的目录",
)
NO_ANSWER = Text(
    "medic has no answer of its own to this question.", "这个问题 medic 没有直接的答案。"
)
READ_ALREADY = Text(
    "These lines stand in {file} (near line {line}) and were read already. What was seen in them:",
    "这些行就在 {file} 中（第 {line} 行附近），已经读过。其中看到的：",
)
NO_SIGN_IN_IT = Text("nothing that counts as a sign of the fault", "没有可作为故障迹象的内容")
STILL_LEADS = Text("Still first: {title} ({code}).", "首要嫌疑不变：{title}（{code}）。")
OF_THE_EVIDENCE = Text("What was seen of it:", "与此有关的发现：")
KNOWN_IS = Text("What is known: {title} ({code}), {word}.", "目前所知：{title}（{code}），{word}。")
TO_ASK = Text(
    "/why shows the evidence, /probes what was read and what was not, /report the whole case.",
    "/why 查看依据，/probes 查看读了什么、没读什么，/report 为完整报告。",
)
IN_SHORT = Text("In short: {title} ({code}).", "简单说：{title}（{code}）。")
THE_QUESTION = Text("The question: {question}", "问题是：{question}")
SO_DO = Text("So do this first: {title}.", "所以先做这一步：{title}。")
IF_IT_IS = Text("If it is this, do this first: {title}.", "若确是它，先做这一步：{title}。")
WHY_BY = Text("/why shows the evidence line by line.", "/why 逐条列出依据。")
IF_NOT_SO = Text(
    "If it is not so: say what speaks against it, or /ruleout {code} takes it out of question.",
    "如果确实不是：请说出反对它的现象，或用 /ruleout {code} 排除。",
)
LOG_SAYS_SO = Text(
    "Good. The log says so, too. /report hands over what it was; /quit leaves, and this session is "
    "kept.",
    "好的，日志也是这样显示的。/report 可生成交接报告；/quit 退出，会话会保存。",
)
HELLO = Text(
    "Hello. Describe what goes wrong, or paste the error lines; /add PATH reads a run's folder.",
    "你好。请描述出了什么问题，或粘贴报错；/add 路径 可读取运行目录。",
)

# --- courtesies ---------------------------------------------------------------------------------

WELCOME = Text(
    "You are welcome. After the next run /look reads its log; /quit leaves, and this session is "
    "kept.",
    "不客气。再次运行后可用 /look 读取新日志；/quit 退出，会话会保存。",
)
WELCOME_NO_FILES = Text(
    "You are welcome. /quit leaves, and this session is kept.",
    "不客气。/quit 退出，会话会保存。",
)
