"""Lines that name an error without having it: documentation, echoed settings, source code."""

from __future__ import annotations

import re
from collections.abc import Collection

from medic.entries import NotIn

# Time, rank, level and logger in front of a message, in any order.
_PREFIX = re.compile(
    rb"(?:\[[^\]\n]{1,80}\]:?\s?|\([A-Za-z_]\w*[ ,][^)\n]{0,60}pid=\d+[^)\n]{0,40}\)\s?|"
    rb"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?\s*[-:]?\s?|"
    rb"\d{1,5}:\s(?=\S)|(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b[ :|-]*|"
    rb"(?:train|__main__|root|[a-z_]+(?:\.[a-z_]+)+)(?: -|:)\s)+"
)

_HELP = re.compile(
    rb"\s*usage:|\s+(?:-\w,? )?--[a-z][\w-]*(?:[ =]\S+)?(?:,\s--?\S+)*\s{2,}\S|\s*\|.*\|\s*$|#{1,6}\s|"
    rb"\s*[-*]\s+[`*\"']|\s*(?:if|when|whenever|to avoid|to prevent|to fix|in case|note|hint|tip|see|"
    rb"e\.g\.|example)\b|\s*(?:\xe5\xa6\x82\xe6\x9e\x9c|\xe8\x8b\xa5|\xe5\xbd\x93|\xe9\x81\x87\xe5\x88\xb0|"
    rb"\xe4\xb8\xba\xe9\x81\xbf\xe5\x85\x8d|\xe9\x81\xbf\xe5\x85\x8d|\xe6\xb3\xa8\xe6\x84\x8f|"
    rb"\xe6\x8f\x90\xe7\xa4\xba|\xe4\xbe\x8b\xe5\xa6\x82)",  # 如果 若 当 遇到 为避免 避免 注意 提示 例如
    re.IGNORECASE,
)
_DENIED = re.compile(
    rb"(?:\b(?:no|not|without|avoid|avoids|avoiding|prevent|prevents|handle|handles|like|such as|e\.g\.,?|"
    rb"called|named|say|says)\s+|(?:\xe6\xb2\xa1\xe6\x9c\x89|\xe6\x9c\xaa\xe8\xa7\x81|\xe6\x97\xa0|"
    rb"\xe9\x81\xbf\xe5\x85\x8d|\xe9\x98\xb2\xe6\xad\xa2))[\"'`]?$",  # 没有 未见 无 避免 防止
    re.IGNORECASE,
)
_FAILED = re.compile(rb"\b[A-Z]\w*(?:Error|Exception|Interrupt)\b\s*[:(]")
_CODE = re.compile(
    rb"\b(?:print|raise\s+[\w.]+|assert|logg(?:er|ing)\.\w+|log\.\w+|warnings?\.\w+|echo|printf|fprintf|"
    rb"TORCH_CHECK|re\.compile|except\s+[\w.]+|if\s+.{1,120}\bin\b)\s*\(?.{0,200}$"
)
_GREP = re.compile(
    rb"\s*[\w./@-]+\.(?:py|md|rst|txt|sh|ya?ml|json|cpp|cu|h|hpp|log|out|err|patch)[:-]\d+[:-]"
    rb"(?!\s*\w*(?:Warning|Error|Exception)\b)"
)
_FRAME = re.compile(rb"^\s+File \"[^\"]+\", line \d+")
_CONFIG = re.compile(
    rb"[\s\"'{]*([A-Za-z_][\w./-]*)[\"']?\s*(?:[:=]\s*|\s\.{3,}\s)(?:[\[{\"'].*|[^\s,]+),?[\s})]*$"
)
_DUMP = re.compile(rb"\s*(?:Namespace|\w*Arguments|\w*Config)\(|\s*\w+=\S+,\s*$")
_METRIC = re.compile(rb"loss|norm|grad|lr$|step|exit|error|status|reason|signal", re.IGNORECASE)


def body_of(line: bytes) -> bytes:
    """The message of a log line, without the prefixes in front of it."""
    found = _PREFIX.match(line)
    return line[found.end() :] if found else line


def why_benign(
    line: bytes, start: int, end: int, before: bytes, kinds: Collection[NotIn]
) -> NotIn | str:
    """Why the match at ``start``..``end`` of ``line`` is no evidence; empty if it is.

    Documentation and source code never are; echoed settings only for signatures that say so.
    ``before`` is the line before, as a traceback shows source under its frame line.
    """
    body = body_of(line)
    offset = len(line) - len(body)
    lead = body[: max(start - offset, 0)]
    if _source(body, lead, before):
        return "source-line"
    if _help(body, lead, line[end:]):
        return "help-text"
    if "echoed-config" in kinds and _echoed(body):
        return "echoed-config"
    return ""


def _source(body: bytes, lead: bytes, before: bytes) -> bool:
    if body[:1] in b" \t" and _FRAME.match(body_of(before)):
        return True
    if _GREP.match(body) or body.startswith(b"+ echo"):
        return True
    quoted = lead.count(b'"') % 2 == 1 or lead.count(b"'") % 2 == 1
    return quoted and _CODE.search(lead) is not None


def _help(body: bytes, lead: bytes, rest: bytes) -> bool:
    if lead.count(b"`") % 2 == 1 and b"`" in rest:
        return True
    if _FAILED.search(lead):
        return False
    # Curly quotes, as Chinese and typeset documents use them.
    if lead.count(b"\xe2\x80\x9c") > lead.count(b"\xe2\x80\x9d"):
        return True
    return _HELP.match(body) is not None or _DENIED.search(lead) is not None


def _echoed(body: bytes) -> bool:
    found = _CONFIG.match(body)
    if found is not None:
        key = found.group(1)
        named = key.endswith((b"Error", b"Exception", b"Warning")) or b"::" in key
        return not named and _METRIC.search(key.rsplit(b".", 1)[-1]) is None
    return _DUMP.match(body) is not None
