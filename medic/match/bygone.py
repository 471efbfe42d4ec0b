"""What notes beside a run tell of old or solved trouble: it is no evidence of this run."""

from __future__ import annotations

from medic.text.patterns import regex

# Marked as solved in brackets or at the beginning: "NCCL timeout (fixed in April)".
_SOLVED = (
    r"(?:solved|fixed|resolved|closed|done|no longer happens|not any ?more|obsolete|"
    r"已(?:经)?(?:解决|修复|修好|处理|关闭|恢复)|解决了|修好了|不再出现)"
)
_MARKED = regex(
    rf"(?i)[(\[（【][^)\]）】\n]{{0,24}}{_SOLVED}[^)\]）】\n]{{0,40}}[)\]）】]|^\W*{_SOLVED}\b[^:：\n]{{0,40}}[:：]|"
    rf"^\W*已(?:解决|修复)|~~.+~~"
)
# Said last of it: "NCCL timeout on n7, node drained, resolved.", and of all that a diary tells below
# one date: "- Nov 10: out of memory at step 3. Batch 8 -> 2. RESOLVED."
_END = r"[.,;，。；、—–-]\s{0,3}(?:%s|已(?:经)?(?:解决|修复|修好|恢复)|解决了|修好了)[.!。！]?\s*$"
_LAST = regex("(?i)" + _END % "solved|resolved")  # a rate, too, is "fixed"
_LAST_OF_DAY = regex("(?i)" + _END % "solved|fixed|resolved")
_DATED = regex(
    r"(?i)^\s*(?:[-*+•]\s+|\d{1,2}[.)]\s+)?[\[(*]{0,3}"
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/]\d{1,2}|(?:\d{4}\s?年\s?)?\d{1,2}\s?月\s?\d{1,2}\s?[日号]|"
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?\s\d{1,2}|"
    r"\d{1,2}\.?\s(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*)\b[^:：\n]{0,20}[:：\s]"
)
# Told as of another time, with how it ended, or as a heading.
_OLD = regex(
    r"(?i)\b(?:old|past|former|previous|historic(?:al)?|earlier|last (?:week|month|year)(?:'s)?)\b"
    r"[\w ]{0,20}\b(?:troubles?|problems?|issues?|errors?|bugs?|incidents?|failures?|crash(?:es)?|runs?|history)\b|"
    r"(?:以前|之前|过去|历史|老|旧|上(?:周|月|个月|次)|去年)[^，。：\n]{0,8}(?:问题|故障|报错|错误|事故|坑|记录)"
)
_ENDED = regex(
    rf"(?i)\b{_SOLVED}|{_SOLVED}|\bwas (?:a|an|the|due to|caused by|only|just)\b|"
    r"\bturned out\b|是(?:网线|线缆|因为|由于)|原因是|换(?:了|线|卡|机)"
)
# Words by which the trouble is of now, or not over.
_STILL = regex(
    r"(?i)\b(?:now|today|currently|but|again|still|not|never|isn't|wasn't|came back|reappear\w*|returned|this run)\b|"
    r"现在|今天|目前|又|还是|仍|没|未|但|却|本次|这次|怎么|如何|[?？]"
)
HEADING = regex(r"^\s{0,3}(?:#{1,6}\s.*|[^:：\n]{1,60}[:：]\s*)$")
_ITEM = regex(r"^\s*(?:[-*+•]|\d{1,2}[.)、]|\s{2,}\S)")
SENTENCE = regex(r"(?<=[.!?;])\s+|(?<=[。！？；])")


def without_bygone(text: str) -> str:
    """The text of a note with what it tells of old or solved trouble left blank, by sentence, and
    the items below a heading that says so; line numbers stay."""
    lines, below = [], False
    for line in text.split("\n"):
        heading = HEADING.match(line) is not None
        if heading or not line.strip() or (below and not _ITEM.match(line)):
            below = heading and _is_bygone(line, heading=True)
            lines.append("" if below else _less(line))
        else:
            lines.append("" if below and not _STILL.search(line) else _less(line))
    return "\n".join(lines)


def _less(line: str) -> str:
    sentences = SENTENCE.split(line)
    if _DATED.match(line) and not _STILL.search(line):
        last = _LAST_OF_DAY.search(line)
        # "...; the hang, resolved." ends the last sentence alone, "... Resolved." all before it.
        if last and (last[0][0] not in ",，、" or len(sentences) == 1):
            return ""
    return " ".join(part for part in sentences if not _is_bygone(part))


def _is_bygone(words: str, *, heading: bool = False) -> bool:
    if _STILL.search(words):
        return False
    if _MARKED.search(words) or _LAST.search(words):
        return True
    return _OLD.search(words) is not None and (heading or _ENDED.search(words) is not None)
