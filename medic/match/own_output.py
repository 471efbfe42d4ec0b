"""Lines that medic itself printed: what it says of a run is no evidence of that run."""

from __future__ import annotations

from medic.text.patterns import regex

# A report begins with its verdict, a finding of lint with its name and code. Headings stand alone in
# a line; what belongs to them is indented.
_BEGINS = regex(
    r"(?:Established|Likely, not established|Not clear yet; first suspect \([^)\n]{1,40}\)|"
    r"Not clear yet; one of several that fit|"
    r"No failure was seen, but this (?:is|may be) wrong|"
    r"已确诊|很可能，但未确诊|尚不明确；首要嫌疑（[^）\n]{1,40}）|"
    r"尚不明确；符合的原因有多个，其中之一|没有看到故障，但这里(?:可能)?有问题)"
    r"[:：].{1,400}[(（][a-z0-9-]+(?:, |，)[A-Z]{2,4}-\d{3}[)）]\s*$|"
    r"(?:What causes it, most common first|原因（按常见程度排序）|This machine|本机)\s*$|"
    r"\S.{0,400}: [a-z0-9-]+ \([A-Z]{2,4}-\d{3}, (?:error|warning|info|错误|警告|提示)\)|"
    r"findings: \d+; files read: \d|问题：\d+；已读取文件："
)
# These are words of anybody's: they begin a report where its text follows, indented.
_ALONE = regex(
    r"(?:No fault seen|Not read whole|Healthy|Not clear yet|Not clear which symptom is meant|"
    r"None of the causes that medic knows|"
    r"未发现故障|未能完整读取|运行正常|尚不明确|不清楚指的是哪种现象|不属于 medic 已知的任何原因)\s*$"
)
_TITLE = regex(r"\S.{0,200}  [a-z0-9]+(?:-[a-z0-9]+)+\s*$")  # of explain, above the causes
_LISTS = (b"What causes it, most", "按常见程度排序".encode())
_GOES_ON = regex(
    r"(?:\s|\d+ \||\[\*\] |(?:Files read|已读取文件)[:：]|"
    r"(?:ok|not ok|not seen|正常|不正常|异常|未见|未看到)  +\S|"
    r"(?:not read|not checked|未读取|未检查)[:：]|"
    r"(?:Only the text was read|只读了这段文字)|"
    r"(?:Evidence|Consequences, not causes|In the order of time|What to do|If it is this, what to do|"
    r"Do not|Other causes|"
    r"Nearest causes|Ruled out|Also wrong, but not the cause of this|"
    r"Not explained by this cause|Worth knowing|This would tell|What was seen|"
    r"Changed since the run that worked|How to tell them apart|Why it happens|"
    r"What you would see|Easily mistaken for|Sources|A myth|The memory in numbers|"
    r"证据|后果而非原因|按时间先后|怎么办|若确是它，怎么办|不要|其他原因|最接近的原因|已排除|"
    r"另有问题，但并非此次故障的原因|该原因无法解释的现象|值得留意|下一步最能说明问题的是|"
    r"观察到的现象|与正常运行相比的变化|如何区分|为什么会这样|会看到什么|容易混淆的原因|来源|"
    r"误解|显存数字)\s*$|$)"
)
# One of these stands in every text that has a line that begins one; they are found fast.
_SIGNS = tuple(
    word.encode()
    for word in (
        "Established: ", "Likely, not established", "Not clear yet", "but this is wrong: ", "but this may be wrong: ",
        "No fault seen", "Not read whole", "Healthy", "None of the causes that medic", "Not clear which symptom",
        "What causes it, most", ", error)", ", warning)", ", info)", "findings: ", "This machine",
        "已确诊", "很可能，但未确诊", "尚不明确", "没有看到故障，但这里",
        "不属于 medic", "未发现故障", "未能完整读取", "运行正常", "不清楚指的是哪种", "按常见程度排序",
        ", 错误)", ", 警告)", ", 提示)", "；已读取文件：", "本机",
    )
)  # fmt: skip


# Bytes from the begin of a text that are looked at: a report is saved by itself, or printed before
# the run starts, and a look costs as much as half of the scan.
LOOKED_AT = 1 << 20


class OwnOutput:
    """Blanks the lines of medic's output in the blocks of a text, in their order."""

    def __init__(self) -> None:
        self._past = 0
        self.within = False
        self.seen = False

    def without(self, data: bytes) -> bytes:
        """The block with as many lines, those of medic's own empty."""
        late, self._past = self._past >= LOOKED_AT, self._past + len(data)
        if not self.within and (late or not any(sign in data for sign in _SIGNS)):
            return data
        lists = any(words in data for words in _LISTS)
        lines = data.split(b"\n")
        own = [
            self._is_own(line, after, lists=lists)
            for line, after in zip(lines, [*lines[1:], b""], strict=True)
        ]
        return b"\n".join(b"" if is_own else line for line, is_own in zip(lines, own, strict=True))

    def _is_own(self, line: bytes, after: bytes, *, lists: bool) -> bool:
        text = line[:1000].decode("utf-8", "replace").rstrip("\r")
        begins = _BEGINS.match(text) or (after.startswith(b"  ") and _ALONE.match(text))
        if not begins and lists:
            begins = _TITLE.match(text)
        if not begins and not (self.within and _GOES_ON.match(text)):
            if line:
                self.within = False
            return False
        self.within = True
        self.seen = self.seen or begins is not None
        return True


def without_own(text: str) -> str:
    """A pasted or typed text without the lines that medic printed; line numbers stay."""
    return OwnOutput().without(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
