"""What a text that lies beside a run says of this run: a run book, a README and a diary tell mostly
of what may happen, of what to do, and of other runs."""

from __future__ import annotations

from medic.match.bygone import HEADING, SENTENCE, without_bygone
from medic.text.patterns import regex

# Headings of a part that tells what may go wrong, and not what did.
_MANUAL = regex(
    r"(?i)^\W*(?:run ?books?|troubleshoot\w*|trouble shooting|faqs?|known (?:issues|problems|errors)|"
    r"common (?:issues|problems|errors|failures)|how to|if (?:it|something|anything)|what to do|"
    r"(?:on-?call )?(?:playbook|handbook|guide)|常见(?:问题|错误|报错|故障)|故障(?:排查|处理)|排(?:错|障|查)|"
    r"运维手册|使用说明|操作手册|注意事项|已知问题)"
)
# A case that may come: what it names is not said to be there.
_IF = regex(
    r"(?i)^\W*(?:if|when(?:ever)?|in case|should|once|unless)\b|\bif (?:you|the|a|an|it|there|any\w*|loss)\b|"
    r"\b(?:when|whenever) you\b|\b(?:may|might|could|can) (?:cause|happen|occur|lead|hit|run|fail|hang|be)\b|"
    r"如果|若(?:是|有|出现|遇|发生|报)|假如|一旦|万一|(?:遇到|出现|碰到|发生)[^，。；\n]{0,24}(?:时|的话|请|就|则|可以|先)|"
    r"可能(?:会|是|出现|导致)"
)
# Of a run that is not this one, or of none.
_OTHER = regex(
    r"(?i)(?:un|not )related\b|\b(?:an?other|other|different|someone else's|previous|earlier|old(?:er)?|last|"
    r"prior|first|second) (?:runs?|jobs?|tr(?:y|ies)|attempts?|launch\w*|experiments?|time|week|month|night|year)\b|"
    r"\bruns? before (?:this|that|it)\b|\b(?:previously|formerly|used to|once had|back then|in the past|"
    r"yesterday|years? ago|weeks? ago|months? ago|days? ago)\b|\bbefore this (?:run|one|job)\b|"
    r"与(?:本|这|该|此|当前)(?:次|个)?[^，。；\n]{0,6}无关|无关"
)
_ONCE = regex(
    r"之前|以前|此前|先前|前(?:一次|几次|几天)|上(?:次|一次|回|周|个?月)|去年|昨天|第一次|曾经?|"
    r"(?:挂|崩|出现|遇到|跑出|发生|炸)过|别的(?:任务|实验|作业)|其他(?:任务|实验|作业)"
)
# That it is mended is enough here: what would be of now is said with a word for it.
_MENDED = regex(
    r"(?i)\b(?:fixed|solved|resolved|worked around|no longer|not any ?more)\b|"
    r"已(?:经)?(?:改|解决|修|换|处理|恢复|关闭)|解决了|修好了|不再"
)
_DO = regex(
    r"(?i)^[\W\d]*(?:please|check|lower|reduce|increase|raise|try|make sure|ensure|see|run|use|set|do not|don't|"
    r"never|always|avoid|restart|go back|ask|call|watch|look|remember|read|install)\b|"
    r"^\W*(?:请|务必|注意|建议|不要|切勿)"
)
_NOW = regex(
    r"(?i)\b(?:now|currently|today|still|again|this (?:run|job|time)|ever since|keeps? (?:on )?\w+ing|"
    r"every time|came back)\b|现在|目前|今天|又|仍|还是|本次|这次|一直|总是|每次"
)
# The denial of a relation, which has a word for this run in it.
_DENIED = regex(r"(?i)与[^，。；\n]{0,8}无关|(?:un|not )related\b")
_HELP = regex(
    r"(?i)\b(?:help|any ideas?|please advise|what is wrong|what's wrong)\b|求助|求教|请教|帮(?:我|忙)"
)
# Whoever calls a file so tells of what is wrong.
_COMPLAINT = regex(
    r"(?i)^(?:issue|description|report|question|bug|problem|complaint|symptoms?|said|ticket|"
    r"问题|报告|求助|描述|现象|故障)[\w.-]*$"
)


def is_complaint(name: str, text: str) -> bool:
    """Whether a text of this file name, beside the logs of a run, is what its user complains of:
    by the name, or by a sentence on how it is now, or one that asks why."""
    if _COMPLAINT.match(name):
        return True
    readme = name.lower().startswith("readme")
    return any(_complains_now(part, readme) for part in SENTENCE.split(hint(text)))


def _complains_now(words: str, readme: bool) -> bool:
    from medic.match.tone import asks_why, complains, reassures

    for line in words.split("\n"):
        wrong = complains(line) and not reassures(line)
        if wrong and (asks_why(line) or _HELP.search(line) or (not readme and _NOW.search(line))):
            return True
    return False


def hint(text: str) -> str:
    """Of a text beside a run what may be of this run: without what is conditional, of the past, of
    another run, mended or an instruction, and the parts that are a manual; line numbers stay."""
    lines, manual = [], False
    for line in without_bygone(text).split("\n"):
        if HEADING.match(line):
            manual = _MANUAL.match(line) is not None
        kept = [] if manual else [part for part in SENTENCE.split(line) if not _aside(part)]
        lines.append(" ".join(kept).rstrip())
    return "\n".join(lines)


def _aside(words: str) -> bool:
    if _IF.search(words) or _DO.match(words) or _DENIED.search(words):
        return True
    past = _OTHER.search(words) or _ONCE.search(words) or _MENDED.search(words)
    return past is not None and not _NOW.search(words)
