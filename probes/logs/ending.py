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
_EARLY = regex(
    r"(?i)Signaling Trainer to stop|\b(?:training )?(?:stopp(?:ed|ing)) (?:the )?(?:training )?early\b|"
    r"\bearly[- _]?stop(?:ping|ped)?(?: (?:was |is |has been )?(?:triggered|activated|reached|condition met)"
    r"|(?: training)? (?:at|after) (?:epoch|step|iter(?:ation)?)s? ?\d|: no improvement|[.!]?$)|"
    r"\bstopping training[:,.]? (?:no improvement|early)|"
    r"(?:提前|提早)(?:停止|结束)训练|触发(?:了)?(?:早停|提前停止)|早停(?:触发|于第)"
)
_NO_EARLY = regex(
    r"(?i)\bno\b(?!\s?improve)|\b(?:not|never|without|disabl\w+|enabl\w+|"
    r"patience|counter|if|will|when|would|once)\b(?! improve)|"
    r"未(?:触发|启用)|如果|若"
)
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
# What ends a process from outside in good order: a scheduler's signal, not a limit that it reached.
_ASKED = regex(
    r"(?i)CANCELLED AT \S+ ?\*|got signal: 15\b|\b(?:15|SIGTERM) death signal|closing signal SIGTERM|"
    r"^Signal 15 \(SIG|\bTerminated\b|"
    r"\bexit ?code\b\s*[:=]?\s*(?:-15|143)\b|return(?: |-)?code\s*=?\s*(?:-15|143)\b"
)
_LIMIT = regex(r"(?i)DUE TO|TIME LIMIT|preempt")
SOON = 600.0  # seconds from the end of the training: what hangs at its end waits for a timeout
_INTERRUPTED = regex(
    r"^(?:\S+\.)?KeyboardInterrupt\b|received SIGINT|\^C|got signal: 2\b|^Signal 2 \(SIG"
)
# In each match of _BADLY, _WELL and _INTERRUPTED stands one of these, and in few lines of a log.
_SIGNS = (
    *("exit", "code", "segmentation", "bus error", "killed", "core dumped", "aborted", "terminate"),
    *("illegal", "floating point", "cancelled", "time limit", "fatal", "signal", "sigkill", "oom"),
    *("childfailed", "done", "finish", "complete", "train_runtime", "ended", "stopped"),
    *("end time of running", "signaling trainer", "early", "stopping training"),
    *("\u505c\u6b62", "\u65e9\u505c", "\u7ed3\u675f"),  # 停止, 早停, 结束
    *("\u8bad\u7ec3", "keyboardinterrupt", "sigint", "^c"),
)


@dataclass(frozen=True)
class End:
    """A line that says how a rank ended."""

    how: Literal["well", "badly", "interrupted"]
    source: Source
    order: tuple[float, int, int]


def is_over(message: str) -> bool:
    """Whether a training ended well, as transformers' Trainer and Megatron tell it: what trains
    behind that line is another one."""
    return "train_runtime" in message or "[after training is done]" in message


def is_begun(message: str) -> bool:
    """Whether transformers' Trainer tells what it is about to train."""
    return "Num Epochs = " in message


def how(message: str) -> Literal["well", "badly", "interrupted"] | None:
    """What a line says about the end of its process, if it does."""
    message = message[:400]
    if not any(map(message.lower().__contains__, _SIGNS)):
        return None
    if _BADLY.search(message):
        return "badly"
    if _EARLY.search(message) and not _NO_EARLY.search(message):
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
    well = [e for e in ends if e.how == "well"]
    bad = [e for e in ends if e.how == "badly" and not asked_to_leave(e.source, well)]
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


def asked_to_leave(last: Source, well: Sequence[End]) -> bool:
    """Whether a line is that of processes which were asked to leave soon after the training was
    done (``well``), as far as the lines tell the time; of no limit that they reached."""
    text = last.text[:400]
    if not well or not _ASKED.search(text) or _LIMIT.search(text):
        return False
    return any(
        e.source.file == last.file
        and e.source.line < last.line
        and (e.source.time is None or last.time is None or last.time - e.source.time <= SOON)
        for e in well
    )
