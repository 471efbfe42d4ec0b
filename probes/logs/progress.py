"""Lines that tell of work done, in loops that log no metrics: an epoch, a rollout, an engine that
started when it was tried again."""

from __future__ import annotations

from collections.abc import Sequence

from medic.facts import Source, StepLine
from medic.text.patterns import regex

# In each match of the patterns below stands one of these, and in few lines of a log.
_SIGNS = ("done", "finished", "complete", "started", "ready", "joined", "retry", "again")
_SIGNS_ZH = ("完成", "结束", "重试", "启动")
_DONE = regex(
    r"(?i)\b(?:rollout|epoch|step|iter(?:ation)?|episode|update)s?(?: (?:step|batch))?[ :=#\[]{0,3}"
    r"\d+(?:\]|/\d+\]?)?:? (?:is |was |has )?(?:done|finished|completed?)\b"
    r"|(?:finished|completed|done with) (?:rollout|epoch|step|iter(?:ation)?|episode)"
    r"(?: (?:step|batch))?[ :=#\[]{0,3}\d+\b"
    r"|(?:第 ?\d+ ?(?:轮|步|个 ?epoch)|(?:epoch|rollout|step) ?\d+) ?(?:训练|采样)? ?(?:已)?(?:完成|结束)"
)
_STARTED = regex(
    r"(?i)\b(?:engine|server|all workers|\d+ (?:ranks|workers|replicas))\b(?: \w+)?"
    r" (?:started|ready|joined)\b|引擎(?:已)?启动"
)
_RETRY = regex(r"(?i)\b(?:retry(?:ing)?\b(?! (?:failed|limit))|trying again|starting again)|重试")
_NOT = regex(r"(?i)\b(?:not|until|before|when|once|if|fail(?:ed|s)?|waiting)\b|n't\b|未|失败|等待")


class Progress:
    """Reads the lines of one file in order."""

    def __init__(self) -> None:
        self.found: list[StepLine] = []
        self._retried: set[int | None] = set()

    def read(self, words: str, source: Source) -> None:
        """What starts counts only where it is tried again: of several, another one may start."""
        rank = source.rank
        if _RETRY.search(words):
            self._retried.add(rank)
        elif _NOT.search(words):
            return
        elif _DONE.search(words) or (rank in self._retried and _STARTED.search(words)):
            self._retried.discard(rank)
            self.found.append(StepLine(0, {}, source))


def may_tell(words: str) -> bool:
    """Whether a line is worth a look."""
    lowered = words[:400].lower()
    signs: Sequence[str] = _SIGNS if words.isascii() else (*_SIGNS, *_SIGNS_ZH)
    return any(map(lowered.__contains__, signs))
