"""Words that several reports share."""

from __future__ import annotations

from medic.i18n import Text
from medic.text.patterns import regex
from medic.text.safetext import one_line

UNKNOWN_EXCEPTION = Text(
    "An exception that medic does not know: nothing in it tells the cause. Look at the innermost "
    "frame of your own code in the first traceback, and at the values it raised over; the whole "
    "traceback, pasted here, may tell more.",
    "medic 不认识这个异常，其中没有能说明原因的信息。请看第一个 traceback 里最内层的自有代码，"
    "以及抛出异常时的取值；把完整的 traceback 粘贴进来，可能会有更多线索。",
)
FOLLOWS = Text(
    "What was read only follows from an earlier error, which is not in it. Find the first error: in "
    "the log of the rank that failed first, above these lines, and for a CUDA error in the node's "
    "kernel log (dmesg -T | grep -i xid). Pasted here, that line tells the cause.",
    "已读内容只是更早错误的后果，真正的错误不在其中。请找到最早的报错：最先失败的 rank 的日志里、"
    "这些行之前；若是 CUDA 错误，还要看该节点的内核日志（dmesg -T | grep -i xid）。"
    "把那一行粘贴进来，就能判断原因。",
)
WHAT_TO_DO = Text("What to do", "怎么办")
IF_IT_IS = Text("If it is this, what to do", "若确是它，怎么办")
NEAREST = Text("Nearest causes", "最接近的原因")
OTHERS = Text("Other causes", "其他原因")
SOUND = Text(
    "The log shows no failure, the curves show nothing that a sound run does not, the configuration "
    "passes its checks, and the run ended well or is alive.",
    "日志无故障，曲线没有异常形态，配置通过检查，且运行正常结束或仍在进行。",
)
# Faults that leave a falling loss: most runs that are wrong and look sound have one of these.
UNSEEN = Text(
    "What no log or curve shows is not judged: whether labels, masks, the order of the data and the "
    "evaluation are as meant. Decode one batch with its labels, and overfit it, to be sure.",
    "日志与曲线看不出的不作判断：标签、掩码、数据顺序和评测是否如你所想。"
    "要确认，请解码一个 batch 连同标签看一遍，再用它过拟合一次。",
)
SOUND_SO_FAR = Text(
    "Of what was read: no failure in the log, nothing in the curves that a sound run does not show, "
    "the configuration passes its checks, and the run ended well or is alive.",
    "就已读部分而言：日志无故障，曲线没有异常形态，配置通过检查，且运行正常结束或仍在进行。",
)
NO_FAULT_SO_FAR = Text(
    "Nothing in what was read points to a failure.", "已读部分没有指向故障的迹象。"
)
NOT_WHOLE = Text(
    "Nothing is said of what was not read: {left}. If it is of this run, a failure may stand there: "
    "give it whole, or name it alone, and look again.",
    "对未读部分不作判断：{left}。若属于本次运行，故障可能就在其中：请提供完整文件或单独指定它，再诊断一次。",
)
VERDICT = {
    "established": Text("Established", "已确诊"),
    "likely": Text("Likely, not established", "很可能，但未确诊"),
    "unclear": Text("Not clear yet", "尚不明确"),
    "none-of-these": Text("None of the causes that medic knows", "不属于 medic 已知的任何原因"),
    "healthy": Text("Healthy", "运行正常"),
    "no-fault-seen": Text("No fault seen", "未发现故障"),
    "not-read-whole": Text("Not read whole", "未能完整读取"),
}
CHANCE = {
    "almost-certain": Text("almost certain", "几乎可以肯定"),
    "likely": Text("likely", "很可能"),
    "possible": Text("possible", "有可能"),
    "unlikely": Text("unlikely", "不太可能"),
    "ruled-out": Text("ruled out", "已排除"),
}
WEIGHT = {
    "confirms": Text("confirms it", "可确认"),
    "strong": Text("speaks strongly for it", "有力支持"),
    "weak": Text("speaks for it", "支持"),
    "against": Text("speaks against it", "不支持"),
    "strongly-against": Text("speaks strongly against it", "强烈反对"),
    "rules-out": Text("rules it out", "可排除"),
    "always": Text("always shown by it", "必然出现"),
    "usually": Text("usually shown by it", "通常出现"),
    "sometimes": Text("sometimes shown by it", "有时出现"),
    "rarely": Text("rarely shown by it", "很少出现"),
}
# Names of what was pasted, by what it was taken for.
PASTED = {
    "log": "粘贴的日志",
    "config": "粘贴的配置",
    "command": "粘贴的命令",
    "source": "粘贴的代码",
}
_PASTED = regex(r"<pasted(-\d+)? (log|config|command|source)")
SIGN = {
    "confirms": "!",
    "always": "!",
    "strong": "+",
    "usually": "+",
    "weak": "+",
    "sometimes": "+",
    "rarely": "+",
    "against": "-",
    "strongly-against": "-",
    "rules-out": "-",
}
SEVERITY = {
    "error": Text("error", "错误"),
    "warning": Text("warning", "警告"),
    "info": Text("info", "提示"),
}
STATE = {
    "found": Text("found", "有发现"),
    "absent": Text("nothing found", "未发现异常"),
    "skipped": Text("skipped", "已跳过"),
    "failed": Text("failed", "失败"),
}
TERM = {
    "variable": Text("environment variable", "环境变量"),
    "exit-code": Text("exit code", "退出码"),
    "signal": Text("signal", "信号"),
    "xid": Text("NVIDIA XID", "NVIDIA XID"),
    "status": Text("status or message of a library", "库的状态码或提示"),
    "errno": Text("errno of the system", "系统 errno"),
    "state": Text("state of a scheduler", "调度系统状态"),
    "field": Text("config field of medic", "medic 的配置字段"),
    "concept": Text("term of training", "训练术语"),
}
SAFE = Text("safe", "安全")
UNSAFE = Text("unsafe", "有风险")
PRIOR = {
    "common": Text("common", "常见"),
    "occasional": Text("occasional", "偶见"),
    "rare": Text("rare", "少见"),
}


def file_name(file: str) -> Text:
    """The name of a file on one line; what was pasted has a name in each language."""
    file = one_line(file)
    zh = _PASTED.sub(lambda hit: f"<{PASTED[hit[2]]}{hit[1] or ''}", file)
    return Text(file, zh)


def placed(file: str, line: int, rank: int | None) -> Text:
    """file:line, with the rank where it is known."""
    more = (f":{line}" if line else "") + (f" [rank {rank}]" if rank is not None else "")
    name = file_name(file)
    return Text(name.en + more, name.zh + more)


def place(file: str, line: int, rank: int | None) -> str:
    """The same in the language in use."""
    return str(placed(file, line, rank))
