"""Whether a launch fits its GPU, in a line under what lint found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medic.facts import GpuMemory, MemoryEstimate
from medic.facts.memory import gib
from medic.i18n import Text
from medic.memory.verdict import beside, verdict_of
from medic.report.console import Console

VERDICT = {
    "fits": Text("fits, {left} left", "放得下，余 {left}"),
    "probably-fits": Text(
        "will most likely fit, {left} left by the estimate, {rest} by the high end of its range",
        "很可能放得下，按估计值余 {left}，按范围上限{rest}",
    ),
    "tight": Text(
        "tight, {left} left by the estimate, {rest} by the high bound",
        "偏紧，按估计值余 {left}，按上限{rest}",
    ),
    "probably-not": Text("will most likely not fit, {left} too much", "很可能放不下，超出 {left}"),
    "does-not-fit": Text("will not fit, at least {left} too much", "放不下，至少超出 {left}"),
    "at-least": Text("cannot be told, only a lower bound is known", "无法判断，目前只有下限"),
    "unknown": Text("cannot be told", "无法判断"),
}


BY_FORMULAS = (
    Text(
        "cannot be told; {left} left by the formulas, which no measurement stands behind here",
        "无法判断；按公式余 {left}，但公式在此没有实测依据",
    ),
    Text(
        "cannot be told; {left} too much by the formulas, which no measurement stands behind here",
        "无法判断；按公式超出 {left}，但公式在此没有实测依据",
    ),
)
REST = Text("{n}", "仅余 {n}"), Text("{n} too much", "超出 {n}")
REACH = Text("{n} left", "余 {n}"), Text("{n} too much", "超出 {n}")
# What lint finds of memory, and what an assumed setting is where another one would save memory.
CLAIMS = frozenset(("micro-batch-too-large", "model-states-do-not-fit"))
WASTEFUL = ("off", "0", "fp32")


def verdict(found: MemoryEstimate, capacity: int) -> Text:
    """What the estimate says of a card of ``capacity`` bytes, with how much is left or too much."""
    over = (found.high or 0) - capacity
    word = verdict_of(found, capacity)
    rest = (REACH if word == "probably-fits" else REST)[over > 0].fill(n=gib(abs(over)))
    words = VERDICT[word]
    if word == "at-least" and found.estimate is not None:
        words = BY_FORMULAS[found.estimate > capacity]
    return words.fill(left=gib(beside(found, capacity)), rest=rest)


def memory_line(
    console: Console, facts: Mapping[type[Any], Any], *, unclaimed: bool = False
) -> None:
    """Says it on stderr, where the model and the GPU are known. ``unclaimed``: what no file states
    left lint's own checks of it open."""
    found, card = facts.get(MemoryEstimate), facts.get(GpuMemory)
    if not isinstance(found, MemoryEstimate) or not isinstance(card, GpuMemory):
        return
    if found.low is not None:
        line = _line(found, card.total)
        console.talk(_why_no_finding(line, found, card.total) if unclaimed else line)


def _why_no_finding(line: Text, found: MemoryEstimate, total: int) -> Text:
    """The line, with what keeps a run that will not fit as its files stand from being a finding."""
    if verdict_of(found, total) != "does-not-fit" or not found.assumed:
        return line
    taken = [name for name, value in found.assumed.items() if value in WASTEFUL]
    names = taken or list(found.assumed)
    whole = Text(
        "{line}; no finding, as no file states {names}",
        "{line}；因文件未写明 {names}，不计为问题",
    )
    return whole.fill(line=line, names=Text(", ".join(names), "、".join(names)))


def _line(found: MemoryEstimate, total: int) -> Text:
    word = verdict_of(found, total)
    if found.estimate is not None and found.high is not None and not found.not_measured:
        need = Text("needs about {n} ({low} to {high})", "约需 {n}（{low} 至 {high}）")
    elif found.estimate is None and word == "probably-not":
        need = Text(
            "weights, gradients and optimizer states alone need about {states}",
            "仅权重、梯度与优化器状态就约需 {states}",
        )
    else:
        need = Text("needs at least {low}", "至少需要 {low}")
    values = {
        "low": _gib(found.low),
        "n": _gib(found.estimate),
        "high": _gib(found.high),
        "states": _gib(found.states_likely),
    }
    line = Text("memory: {need} of {total}: {word}", "显存：{need}，显卡为 {total}：{word}")
    if "world_size" in found.assumed:
        line = Text(
            "memory, as on one GPU: {need} of {total}: {word}",
            "显存（按单卡计）：{need}，显卡为 {total}：{word}",
        )
    if word in ("unknown", "at-least"):
        line = Text("{line} (medic memory tells more)", "{line}（详见 medic memory）").fill(
            line=line
        )
    return line.fill(need=need.fill(values), total=gib(total), word=verdict(found, total))


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
        "verdict": verdict_of(found, card.total),
    }


def _gib(value: int | None) -> str:
    return "?" if value is None else gib(value)
