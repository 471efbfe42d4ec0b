"""Lines that name an error without having it: documentation, echoed settings, source code."""

from __future__ import annotations

import re
from collections.abc import Collection

from medic.entries import NotIn
from medic.text.patterns import regex


def _any(*alternatives: str, flags: int = 0) -> re.Pattern[bytes]:
    return regex("|".join(alternatives).encode(), flags)


# Time, rank, level and logger in front of a message, in any order.
_PREFIX = regex(
    rb"(?:\[[^\]\n]{1,80}\]:?\s?|\([A-Za-z_]\w*[ ,][^)\n]{0,60}pid=\d+[^)\n]{0,40}\)\s?|"
    rb"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?\s*[-:]?\s?|"
    rb"\d{1,5}:\s(?=\S)|(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b[ :|-]*|"
    rb"(?:train|__main__|root|[a-z_]+(?:\.[a-z_]+)+)(?: -|:)\s)+"
)
# A usage text, an option of it, a heading, a quoted list item, advice: the match comes after.
_HELP = _any(
    r"\s*usage:",
    r"\s+(?:-\w,? )?--[a-z][\w-]*(?:[ =]\S+)?(?:,\s--?\S+)*\s{2,}",
    r"#{1,6}\s",
    r"\s*[-*]\s+[`*\"']",
    r"\s*(?:if|when|whenever|to avoid|to prevent|to fix|in case|note|hint|tip|see|example)\b",
    r"\s*(?:如果|若|当|遇到|为避免|避免|注意|提示|例如)",
    flags=re.IGNORECASE,
)
# A row of a document's table; those of dcgmi diag are a program's verdict.
_TABLE_ROW = regex(rb"\s*\|(?!.{0,80}\| Fail - GPU).*\|\s*$")
# Words right before a match that say that it is not so, or only a name.
_DENIED = _any(
    r"\b(?:no|not|without|avoid|avoids|avoiding|prevent|prevents|handle|handles)\s+[\"'`]?$",
    r"\b(?:like|such as|e\.g\.,?|called|named|say|says)\s+[\"'`]?$",
    r"(?:没有|未见|无|避免|防止)\s*[\"'`]?$",
    flags=re.IGNORECASE,
)
_FAILED = regex(rb"\b[A-Z]\w*(?:Error|Exception|Interrupt)\b\s*[:(]")
_CODE = _any(
    r"\b(?:print|raise\s+[\w.]+|assert|logg(?:er|ing)\.\w+|log\.\w+|warnings?\.\w+)\s*\(?.{0,200}$",
    r"\b(?:echo|printf|fprintf|TORCH_CHECK|re\.compile|except\s+[\w.]+)\s*\(?.{0,200}$",
    r"\b(?:el)?if\s+(?:[\"']|.{1,120}\bin\b.{0,200})$",
)
_GREP = regex(
    rb"\s*[\w./@-]+\.(?:py|md|rst|txt|sh|ya?ml|json|cpp|cu|h|hpp|log|out|err|patch)[:-]\d+[:-]"
    rb"(?!\s*\w*(?:Warning|Error|Exception)\b)"
)
# A program that names its own place in front of what went wrong: an assertion, a compiler.
_SAID = regex(
    rb"Assertion [`']|: (?:fatal )?error: |Assertion failed|Check failed|non-zero status: "
)
# Lightning warns with its own place in front, and without a category (rank_zero_warn).
_WARNED = regex(
    rb"\s*[\w./@+-]*/(?:lightning|pytorch_lightning|lightning_fabric)/[\w./-]+\.py:\d+: [A-Z`]"
)
_ASSERTED = b"Assertion `"  # what failed stands behind it in backticks
_FRAME = regex(rb"^\s+File \"[^\"]+\", line \d+")
_CONFIG = regex(
    rb"[\s\"'{]*([A-Za-z_][\w./-]*)[\"']?\s*(?:[:=]\s*|\s\.{3,}\s)"
    rb"(?:\[[^\[\]]*\]|\{[^{}]*\}|\"[^\"]*\"|'[^']*'|[^\s,]+),?[\s})]*$"
)
_DUMP = regex(rb"\s*(?:Namespace|\w*Arguments|\w*Config)\(|\s*\w+=\S+,\s*$")
# A text that was trained on or generated, as a trainer shows it beside its metrics: its label, or the
# field of a record. What it says is no word of a program.
_SAYS = (
    rb"(?:prompt|instruction|question|query|input|sample|example|response|completion|answer|output|"
    rb"generation|generated|prediction|predicted|target|label|reference|ground[_ ]?truth|chosen|"
    rb"rejected|rollout|solution|content)s?(?:[_ ](?:text|str|sample|decoded|\d{1,3}))?"
)
_SAID_BY_MODEL = regex(
    rb"(?:(?:\[[^\]\n]{1,80}\]|\([A-Za-z_]\w*[ ,][^)\n]{0,60}pid=\d+[^)\n]{0,40}\)|\d{1,5}:|"
    rb"\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+|INFO|[|:-])\s*)*?\[" + _SAYS + rb"\]:?\s",
    re.IGNORECASE,
)
_FIELD = regex(
    rb"[\"']([A-Za-z_][\w ./-]*)[\"']\s*:\s*(?:\[\s*(?:\"(?:[^\"\\]|\\.)*\",\s*)*)?"
    rb"[\"'](?:[^\"\\]|\\.)*$"
)
_CONTENT = regex(rb"(?:\w+[_ ./])?" + _SAYS, re.IGNORECASE)
_RECORD = regex(
    rb"\s*\{.{0,1000}?[\"'](?:\w+/)?(?:loss|step|global_step|epoch|reward)[\"']\s*:\s*-?\d"
)
_JUDGED = 2000  # bytes of a line that are looked at: none of the patterns above is linear
_METRIC = regex(rb"loss|norm|grad|lr$|step|exit|error|status|reason|signal", re.IGNORECASE)


def body_of(line: bytes) -> bytes:
    """The message of a log line, without the prefixes in front of it."""
    found = _PREFIX.match(line)
    return line[found.end() :] if found else line


def why_benign(
    line: bytes, start: int, end: int, before: bytes, kinds: Collection[NotIn]
) -> NotIn | str:
    """Why the match at ``start``..``end`` of ``line`` is no evidence; empty if it is.

    Documentation, source code, and texts that a model reads or writes never are; echoed settings
    only for signatures that say so.
    ``before`` is the line before, as a traceback shows source under its frame line.
    """
    body = body_of(line[:_JUDGED])
    offset = min(len(line), _JUDGED) - len(body)
    lead = body[: max(start - offset, 0)]
    if _source(body, lead, before[:_JUDGED]):
        return "source-line"
    if _by_model(line[:_JUDGED], line[: min(start, _JUDGED)]):
        return "quoted-text"
    if _documented(body, lead, line[end : end + _JUDGED]):
        return "help-text"
    if "echoed-config" in kinds and _echoed(body):
        return "echoed-config"
    return ""


def _source(body: bytes, lead: bytes, before: bytes) -> bool:
    if body[:1] in b" \t" and _FRAME.match(body_of(before)) and not _FRAME.match(body):
        return True
    said = _SAID.search(body) or _WARNED.match(body)
    if (_GREP.match(body) and not said) or body.startswith(b"+ echo"):
        return True
    quoted = lead.count(b'"') % 2 == 1 or lead.count(b"'") % 2 == 1
    return quoted and _CODE.search(lead[-300:]) is not None


def _by_model(line: bytes, lead: bytes) -> bool:
    """Whether a match stands in a text of the data or of the model, which a trainer shows."""
    if _SAID_BY_MODEL.match(line) is not None:
        return True
    if b"{" not in lead or not _RECORD.match(body_of(line)):
        return False
    field = _FIELD.search(lead)
    return field is not None and _CONTENT.fullmatch(field.group(1)) is not None


def _documented(body: bytes, lead: bytes, rest: bytes) -> bool:
    if lead.count(b"`") % 2 == 1 and b"`" in rest and not lead.endswith(_ASSERTED):
        return True
    if _FAILED.search(lead):
        return False
    # Curly quotes, as Chinese and typeset documents use them.
    if lead.count(b"\xe2\x80\x9c") > lead.count(b"\xe2\x80\x9d"):
        return True
    if _HELP.match(lead) or _TABLE_ROW.match(body):
        return True
    return _DENIED.search(lead) is not None


def _echoed(body: bytes) -> bool:
    found = _CONFIG.match(body)
    if found is not None:
        key = found.group(1)
        named = key.endswith((b"Error", b"Exception", b"Warning")) or b"::" in key
        return not named and _METRIC.search(key.rsplit(b".", 1)[-1]) is None
    return _DUMP.match(body) is not None
