"""The remedies of a run that does not fit, with the peak after each."""

from __future__ import annotations

from medic.facts.memory import fitting, gib
from medic.i18n import Text
from medic.memory.remedies import Advice, Remedy
from medic.memory.verdict import NEAR
from medic.report.blocks import Blocks
from medic.run_config import Change

BOUND = {
    "exact": Text("{n}", "{n}"),
    "at-least": Text("at least {n}", "至少 {n}"),
    "at-most": Text("at most {n}", "至多 {n}"),
    "formula": Text("{n} by the formulas", "按公式 {n}"),
}


def advice(blocks: Blocks, found: Advice, capacity: int) -> None:
    """The remedies alone, then those that together are enough, with the peak after each."""
    if not found.alone:
        return
    if found.taken:
        sizes = ", ".join(f"{name}={size}" for name, size in found.taken.items())
        line = Text(
            "What follows is with {v}, as nothing states it",
            "没有写明批次大小，以下按 {v} 计算",
        )
        blocks.heading(line.fill(v=sizes))
    blocks.heading(
        Text("What would help, cheapest first (each alone)", "可行的办法，代价小的在前（单独使用）")
    )
    for i, one in enumerate(found.alone, start=1):
        _remedy(blocks, one, capacity, f"  {i}. ")
    if not found.plan:
        return
    if len(found.plan) == 1 and found.fits:
        title = Text("The cheapest that is enough: {t}", "代价最小且足够的一项：{t}")
        if _unmeasured(found):
            title = Text(
                "The cheapest that is enough by the formulas: {t}",
                "按公式代价最小且足够的一项：{t}",
            )
        blocks.heading(title.fill(t=found.plan[0].text))
        return
    blocks.heading(_title(found, capacity))
    step = Text("{t}: {c} -> {n}", "{t}：{c} -> {n}")
    for one in found.plan:
        line = step.fill(t=one.text, c=_changes(one), n=_peak_after(one))
        last = Text("{line}, {fits}", "{line}，{fits}").fill(line=line, fits=_fits(one, capacity))
        blocks.paragraph(last if one.peak <= capacity else line, "     ", "  + ")


def _unmeasured(found: Advice) -> bool:
    """Whether the formulas alone say what the last step of the plan comes to."""
    return bool(found.plan) and found.plan[-1].bound == "formula"


def _title(found: Advice, capacity: int) -> Text:
    if _unmeasured(found) and found.plan[-1].peak <= capacity:
        return Text(
            "Together they are enough by the formulas; the peak as each is added",
            "按公式合在一起即足够；逐项加上后的峰值",
        )
    if found.fits:
        return Text(
            "Together they fit; the peak as each is added", "合在一起即可放下；逐项加上后的峰值"
        )
    if found.plan and found.plan[-1].peak <= capacity:
        return Text(
            "All together fit barely; the peak as each is added",
            "全部用上也只能勉强放下；逐项加上后的峰值",
        )
    line = Text(
        "All together still do not fit, {n} too much; the peak as each is added",
        "全部用上仍放不下，还超出 {n}；逐项加上后的峰值",
    )
    return line.fill(n=gib(found.plan[-1].peak - fitting(capacity)))


def _fits(one: Remedy, capacity: int) -> Text:
    if one.bound == "formula" and one.peak <= capacity:  # as of the run itself: no claim
        return Text("not measured", "未经实测")
    if one.peak > capacity:
        return Text("not enough", "还不够")
    if one.peak > fitting(capacity):
        return Text("fits, barely", "勉强放得下")
    if one.peak * (1 + NEAR) > capacity:
        return Text("fits, but it is tight", "放得下，但偏紧")
    return Text("fits", "放得下")


def _remedy(blocks: Blocks, one: Remedy, capacity: int, lead: str) -> None:
    fits = _fits(one, capacity)
    line = Text("{t}: {c} -> {n}, {fits} (cost: {cost})", "{t}：{c} -> {n}，{fits}（代价：{cost}）")
    filled = line.fill(t=one.text, c=_changes(one), n=_peak_after(one), fits=fits, cost=one.cost)
    blocks.paragraph(filled, "     ", lead)


def _peak_after(one: Remedy) -> Text:
    return BOUND[one.bound].fill(n=gib(one.peak))


def _changes(one: Remedy) -> str:
    return ", ".join(f"{c.field}={_value(c)}" for c in one.changes)


def _value(change: Change) -> str:
    new = change.new
    return str(new).lower() if isinstance(new, bool) else str(new)
