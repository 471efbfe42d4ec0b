"""Whether a launch fits its GPU, in a line under what lint found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medic.facts import GpuMemory, MemoryEstimate
from medic.facts.memory import gib
from medic.i18n import Text
from medic.report.console import Console


def memory_line(console: Console, facts: Mapping[type[Any], Any]) -> None:
    """Says it on stderr, where the model and the GPU are known."""
    found, card = facts.get(MemoryEstimate), facts.get(GpuMemory)
    if not isinstance(found, MemoryEstimate) or not isinstance(card, GpuMemory):
        return
    line = _line(found, card.total)
    if line is not None:
        console.talk(line)


def _line(found: MemoryEstimate, total: int) -> Text | None:
    low, likely, high = found.low, found.estimate, found.high
    if low is None:
        return None
    if low > total:
        line = Text(
            "memory: needs at least {low} of {total}: will not fit",
            "显存：至少需要 {low}，显卡为 {total}：放不下",
        )
    elif likely is None or high is None or found.not_measured:
        line = Text(
            "memory: needs at least {low} of {total} (medic memory tells more)",
            "显存：至少需要 {low}，显卡为 {total}（详见 medic memory）",
        )
    elif likely > total:
        line = Text(
            "memory: needs about {n} ({low} to {high}) of {total}: will most likely not fit",
            "显存：约需 {n}（{low} 至 {high}），显卡为 {total}：很可能放不下",
        )
    elif high > total:
        line = Text(
            "memory: needs about {n} ({low} to {high}) of {total}: tight",
            "显存：约需 {n}（{low} 至 {high}），显卡为 {total}：余量很小",
        )
    else:
        line = Text(
            "memory: needs about {n} ({low} to {high}) of {total}: fits, {left} left",
            "显存：约需 {n}（{low} 至 {high}），显卡为 {total}：放得下，余 {left}",
        )
    left = total - (likely or 0)
    values = {"low": low, "n": likely, "high": high, "total": total, "left": left}
    return line.fill({name: _gib(value) for name, value in values.items()})


def memory_data(facts: Mapping[type[Any], Any]) -> dict[str, Any] | None:
    """In bytes; None where the model or the GPU is unknown."""
    found, card = facts.get(MemoryEstimate), facts.get(GpuMemory)
    if not isinstance(found, MemoryEstimate) or not isinstance(card, GpuMemory):
        return None
    return {
        "low": found.low,
        "estimate": found.estimate,
        "high": None if found.not_measured else found.high,
        "capacity": card.total,
        "fits": found.fits,
    }


def _gib(value: int | None) -> str:
    return "?" if value is None else gib(value)
