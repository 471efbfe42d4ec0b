"""How a run ended, as its last lines say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from medic.facts import Source
from medic.records import dataclass
from medic.text.patterns import regex

Ended = Literal["well", "badly", "silent", "unknown"]

# A bare "done", Hugging Face, Megatron, Lightning, DeepSpeed's launcher, and plain words.
_WELL = regex(
    r"^(?:[\w.]+: )?(?:all )?(?:done|finished|completed?)[.!]?\s*$|train_runtime|"
    r"\btrain(?:ing)?(?: (?:run|loop|process|job|has|is|was|been))*"
    r"(?: successfully)? (?:finished|completed?|done|ended)\b|"
    r"\b(?:finished|completed?|done)(?: with)? (?:the )?training\b|"
    r"exiting program (?:at iteration \d+|after (?:receiving SIG|\d))|\[after training is done\]|"
    r"Trainer\.fit`? stopped: `?max_(?:steps|epochs)|Process \d+ exits successfully|"
    r"\bexit(?:ed with)? ?code:? 0\b|\bEnd time of running main: |"  # the second: ms-swift
    r"\u8bad\u7ec3(?:\u5df2)?(?:\u5b8c\u6210|\u7ed3\u675f)",  # 训练完成 训练结束
    re.IGNORECASE,
)
# Early stopping: the callback ends a run that is in order.
_EARLY = regex(r"Signaling Trainer to stop|^(?:\w+: )?Training stopped early as no improvement")
_NOT_WELL = regex(
    r"\b(?:not|until|before|after|when|once|if|will|fail)\b|n't\b|%\||\bepoch \d+|第 ?\d+ ?(?:轮|个)",
    re.IGNORECASE,
)
# "training finished after 50 steps" is an end, as Megatron's own line is; "saved after training
# finished" tells of none.
_HOW_LONG = regex(
    r"\[after training is done\]|\bafter (?:receiving SIG\w+|"
    r"\d[\d.,]* ?(?:steps|iterations|epochs|updates|s|sec\w*|min\w*|h|hours?)\b)",
    re.IGNORECASE,
)
_BADLY = regex(
    r"\bexit ?code\b\s*[:=]?\s*-?[1-9]\d*|return(?: |-)?code\s*=?\s*-?[1-9]\d*|"
    r"Exited with exit code [1-9]|Segmentation fault|Bus error|^Killed\s*$|core dumped|"
    r"^(?:\S+: )?(?:line )?[\d: ]*(?:Aborted|Terminated|Killed|Illegal instruction|"
    r"Floating point exception)"
    r"(?:\s+\(core dumped\)|\s+\S*(?:python|torchrun|deepspeed|bash)\b|\s*$)|"
    r"terminate called after|CANCELLED AT|DUE TO TIME LIMIT|Fatal Python error|"
    r"^Signal (?!2\b)\d+ \(SIG|got signal: (?!2\b)\d+|died with <Signals\.|"
    r"returned non-zero exit status|\bSIGKILL\b|\boom[-_]kill\b|ChildFailedError",
    re.IGNORECASE,
)
_INTERRUPTED = regex(
    r"^(?:\S+\.)?KeyboardInterrupt\b|received SIGINT|\^C|got signal: 2\b|^Signal 2 \(SIG"
)
# In each match of _BADLY, _WELL and _INTERRUPTED stands one of these, and in few lines of a log.
_SIGNS = (
    *("exit", "code", "segmentation", "bus error", "killed", "core dumped", "aborted", "terminate"),
    *("illegal", "floating point", "cancelled", "time limit", "fatal", "signal", "sigkill", "oom"),
    *("childfailed", "done", "finish", "complete", "train_runtime", "ended", "stopped"),
    *("end time of running", "signaling trainer"),
    *("\u8bad\u7ec3", "keyboardinterrupt", "sigint", "^c"),
)


@dataclass(frozen=True)
class End:
    """A line that says how a rank ended."""

    how: Literal["well", "badly", "interrupted"]
    source: Source
    order: tuple[float, int, int]


def how(message: str) -> Literal["well", "badly", "interrupted"] | None:
    """What a line says about the end of its process, if it does."""
    message = message[:400]
    if not any(map(message.lower().__contains__, _SIGNS)):
        return None
    if _BADLY.search(message):
        return "badly"
    if _EARLY.search(message):
        return "well"
    if _WELL.search(message) and not _NOT_WELL.search(_HOW_LONG.sub("", message)):
        return "well"
    if _INTERRUPTED.search(message):
        return "interrupted"
    return None


def overall(
    ends: Sequence[End], *, failed: bool, last_step: int | None, planned: int | None, lines: int
) -> tuple[Ended, Source | None]:
    """How the run ended: ``failed`` says that a rank's failure was seen and nothing came after.

    A launcher's word of a failed child outweighs a rank that ended well.
    """
    bad = [e for e in ends if e.how == "badly"]
    well = [e for e in ends if e.how == "well"]
    if bad:
        return "badly", bad[-1].source
    if failed:
        return "badly", None
    if well:
        return "well", well[-1].source
    if planned is not None and last_step is not None and last_step >= planned:
        return "well", None
    if any(e.how == "interrupted" for e in ends) or not lines:
        return "unknown", None
    return "silent", None
