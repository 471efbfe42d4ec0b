"""Timers that frameworks print below a step: what the ranks take of it, and the gradient's exchange.

Sources: Megatron-LM ``core/timers.py`` (--timing-log-level, --timing-log-option minmax or all; ms an
iteration, over all ranks), DeepSpeed ``utils/timer.py`` (wall_clock_breakdown), Lightning
``profilers/simple.py``.
"""

from __future__ import annotations

from statistics import median

from medic.text.patterns import regex

from .digits import whole

_HEADER = "across ranks (ms)"
_ROW = regex(r"^\s*[\w/-]{1,60} \.{2,80}: [(\d]")
_NAME = regex(r"^\s*([\w/-]{1,60}):\s*$")
_RANK = regex(r"^\s*rank +(\d{1,6}): (\d{1,9}(?:\.\d{1,6})?)\s*$")
_BOTH = regex(r"^\s*forward-backward \.{1,80}: \((\d{1,9}\.\d{1,6}), (\d{1,9}\.\d{1,6})\)")
_OWN = "forward-backward"  # the pass of a rank; what it waits for other replicas comes behind it
_PARTS = regex(r"(?<![\w.])(fwd|bwd|bwd_allreduce|step): (\d{1,9}\.\d{1,6})(?!\S)")
_PROFILED = regex(
    r"\[_TrainingEpochLoop\]\.train_dataloader_next\s*\|\s*[\d.]+\s*\|\s*\d+\s*\|\s*[\d.]+\s*\|"
    r"\s*(\d{1,3}(?:\.\d+)?)\s*\|"
)
SLOW = 1.25  # times the middle rank's


class Timers:
    """Reads the lines of one writer in order."""

    def __init__(self) -> None:
        self._name = ""
        self._ranks: dict[int, float] = {}
        self._most = -1  # the highest rank that was seen: with it a block is whole

    def read(self, message: str) -> dict[str, float]:
        """What a line adds to the step above it; empty of most lines. Times in seconds, shares below 1."""
        if "(ms)" in message:
            self._name = "*" if _HEADER in message else ""
            return _exchange(message) if "bwd_allreduce: " in message else {}
        if self._name:
            return self._below(message)
        found = _PROFILED.search(message) if "dataloader_next" in message else None
        return {"profiled_wait": float(found[1]) / 100} if found else {}

    def _below(self, message: str) -> dict[str, float]:
        """A line below a header, up to the first one that is of no timer."""
        if name := _NAME.match(message):
            self._name, self._ranks = name[1], {}
        elif found := _RANK.match(message):
            of_own = self._name == _OWN
            return self._of_rank(whole(found[1]), float(found[2]) / 1000) if of_own else {}
        elif found := _BOTH.match(message):
            return {"compute_least": float(found[1]) / 1000, "compute_most": float(found[2]) / 1000}
        elif not _ROW.match(message):
            self._name = ""
        return {}

    def _of_rank(self, rank: int, seconds: float) -> dict[str, float]:
        """The block so far, told once it is whole."""
        self._ranks[rank] = seconds
        if rank < self._most:
            return {}
        self._most = rank
        middle = median(self._ranks.values())
        slow = [r for r, t in self._ranks.items() if t > SLOW * middle]
        told = {"compute_middle": middle, "compute_most": max(self._ranks.values())}
        if slow:
            told |= {"slow_ranks": len(slow), "slow_first": min(slow), "slow_last": max(slow)}
        return told


def _exchange(message: str) -> dict[str, float]:
    """The share that DeepSpeed's all-reduce of the gradient takes of a step."""
    parts = {name: float(value) for name, value in _PARTS.findall(message)}
    total = sum(parts.get(name, 0.0) for name in ("fwd", "bwd", "step"))
    return {"exchange_share": parts["bwd_allreduce"] / total} if "fwd" in parts and total else {}
