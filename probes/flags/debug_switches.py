"""Switches for the search of a fault that a launch script still sets, and what each costs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medic.facts import Document, Launch
from medic.i18n import Text
from medic.text.patterns import regex

from .masked import COMMENT, MASK, numbered
from .script_text import ScriptText
from .slip import Slip

_WAITS = Text(
    "each kernel is waited for before the next one starts", "每个 kernel 都要等前一个执行完"
)
# CUDA programming guide and PyTorch documentation, CUDA environment variables; torch.distributed,
# Debugging; NCCL documentation, environment variables; HIP and CANN documentation.
VARIABLES = {
    "CUDA_LAUNCH_BLOCKING": (regex(r"[1-9]\d*$"), _WAITS),
    "HIP_LAUNCH_BLOCKING": (regex(r"[1-9]\d*$"), _WAITS),
    "ASCEND_LAUNCH_BLOCKING": (regex(r"[1-9]\d*$"), _WAITS),
    "AMD_SERIALIZE_KERNEL": (regex(r"[1-3]$"), _WAITS),
    "TORCH_DISTRIBUTED_DEBUG": (
        regex(r"(?i)detail$"),
        Text(
            "each collective is checked on all ranks first", "每次集合通信前都要在所有 rank 间核对"
        ),
    ),
    "NCCL_DEBUG": (
        regex(r"(?i)trace$"),
        Text("NCCL writes to the log at every call", "NCCL 每次调用都写日志"),
    ),
    "PYTORCH_NO_CUDA_MEMORY_CACHING": (
        regex(r"[1-9]\d*$"),
        Text(
            "each tensor is allocated by the driver and given back to it",
            "每个张量都直接向驱动申请和归还显存",
        ),
    ),
}
_ANOMALY = Text(
    "a trace is kept of every operation, and backward looks for NaN behind each",
    "每个算子都记录调用栈，反向时逐个检查 NaN",
)
_HOOKS = Text("hooks look at the output of every module", "钩子会检查每个模块的输出")
_GIVES = regex(r"(?:^|(?<=[\s;]))([A-Z][A-Z0-9_]+)=[\"']?(\w+)[\"']?(?=$|[\s;&|])")
_FLAG = regex(
    r"(?<!\S)(?:--(?:[\w-]+\.)*detect[_-]anomaly(?:[= ](?i:true|1))?(?=\s|$)(?!\s+(?i:false|0)\b)|"
    r"\+{0,2}(?:\w+\.)*detect_anomaly=(?i:true|1)(?=\s|$))"
)
_HF_DEBUG = regex(r"(?<!\S)--debug[= ]\"?underflow_overflow\"?(?=\s|$)")
# Who says why it stays leaves it there on purpose.
_MEANT = regex(
    r"(?i)do(?:n'?t| not) (?:remove|delete)|workaround|otherwise|hang|dead-?lock|required|must|needed|"
    r"必须|不要删|避免|否则"
)
_SPEAKS = regex(r"\s*(?:echo|printf)\b")
_ON = Text("{word} is a debugging switch: {cost}", "{word} 是调试开关：{cost}")


def debug_switches(
    script: ScriptText, document: Document, launches: Sequence[Launch]
) -> Iterator[Slip]:
    """Each once, in scripts that train."""
    told: set[str] = set()
    for number, line in numbered(script, document) if launches else ():
        if number in script.documents or _SPEAKS.match(line):
            continue
        for name, place, word, cost in _of_line(script.line_text(number)):
            kept = line[place[0]] in (MASK, COMMENT)
            if name in told or kept or _is_meant(script, number):
                continue
            told.add(name)
            yield Slip(_ON.fill(word=word, cost=cost), script.between(number, place))


def _of_line(text: str) -> Iterator[tuple[str, tuple[int, int], str, Text]]:
    """(switch, place, as written, what it costs)."""
    for found in _GIVES.finditer(text):
        pattern, cost = VARIABLES.get(found[1], (None, _WAITS))
        if pattern is not None and pattern.match(found[2]):
            yield found[1], found.span(), f"{found[1]}={found[2]}", cost
    for pattern, cost in ((_FLAG, _ANOMALY), (_HF_DEBUG, _HOOKS)):
        for found in pattern.finditer(text):
            yield pattern.pattern, found.span(), found[0], cost


def _is_meant(script: ScriptText, number: int) -> bool:
    return stays(script.line_text(number - 1), script.line_text(number))


def stays(above: str, line: str) -> bool:
    """Whether a comment of the line, or above it, says that the switch is to stay."""
    led = above.strip() if above.strip().startswith("#") else ""
    here = re.sub(r"^[^#]*#?", "", line)
    return _MEANT.search(f"{led} {here}") is not None
