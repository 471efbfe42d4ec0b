"""An explained entry as text; the same tree goes out as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from medic.i18n import Text, joined
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.report.words import PRIOR, SAFE, TERM, UNSAFE, WEIGHT

Entry = Mapping[str, Any]


_ASKED = Text("{of}: {title}", "{of}：{title}")
_WITH = Text("{what} ({with_})", "{what}（{with_}）")
_OF_A_CAUSE = Text("{title} ({name}, {code}; {prior})", "{title}（{name}，{code}，{prior}）")


def entry(console: Console, data: Entry) -> None:
    """Prints one entry by its kind."""
    blocks = Blocks(console)
    forms: dict[str, Callable[[Blocks, Entry], None]] = {
        "symptom": _symptom,
        "cause": _cause,
        "check": _check,
        "remedy": _remedy_page,
        "procedure": _procedure,
        "term": _term,
        "argument": _argument,
    }
    forms[data["kind"]](blocks, data)


def _symptom(blocks: Blocks, data: Entry) -> None:
    console = blocks.console
    console.styled(
        console.style(f"{data['title']}", "bold") + "  " + console.style(data["name"], "dim")
    )
    order = (
        Text(
            "What causes it: first what your words are most like, then the most common",
            "原因（最接近你的描述的在前，其余按常见程度排序）",
        )
        if data["nearest"]
        else Text("What causes it, most common first", "原因（按常见程度排序）")
    )
    blocks.heading(order)
    for i, cause in enumerate(data["causes"], start=1):
        prior = PRIOR[cause["prior"]]
        line = str(_OF_A_CAUSE.fill(cause, prior=prior))
        blocks.paragraph(line, "     ", f"  {i}. ")
        blocks.paragraph(cause["why"], "     ")
    if data["more"]:
        names = ", ".join(row["name"] for row in data["more"])
        rest = Text(
            "Rarer ({n}, shown by --all): {names}", "更少见的（{n} 个，用 --all 显示）：{names}"
        )
        blocks.paragraph(rest.fill(n=len(data["more"]), names=names), "     ", "  ")
    if data["tell_apart"]:
        blocks.heading(Text("How to tell them apart", "如何区分"))
        for check in data["tell_apart"]:
            _apart(blocks, check)
    _remedies(blocks, data)
    _do_nots(blocks, data)


def _apart(blocks: Blocks, check: Entry) -> None:
    blocks.paragraph(check["title"], "    ", "  ")
    for outcome in check["outcomes"]:
        names = ", ".join(outcome["speaks_for"])
        if names:
            blocks.paragraph(f"{outcome['title']} -> {names}", "        ", "      ")


def _remedies(blocks: Blocks, data: Entry) -> None:
    if not data["remedies"]:
        return
    blocks.heading(Text("What to do", "怎么办"))
    for i, remedy in enumerate(data["remedies"], start=1):
        _remedy(blocks, remedy, f"  {i}. ")


def _remedy(blocks: Blocks, remedy: Entry, first: str) -> None:
    safe = SAFE if remedy["safe"] else UNSAFE
    indent = " " * len(first)
    blocks.paragraph(f"{remedy['title']} ({remedy['name']}, {safe})", indent, first)
    if "{" not in str(remedy["do"]):
        blocks.paragraph(remedy["do"], indent)
    costs = Text("costs: {say}", "代价：{say}").fill(say=remedy["costs"])
    blocks.paragraph(costs, indent)
    if remedy["worked_if"]:
        worked = Text("worked if: {check}", "有效的标志：{check}")
        blocks.paragraph(worked.fill(check=remedy["worked_if"]), indent)
    for line in str(remedy["snippet"] or "").splitlines():
        blocks.console.out(indent + "  " + line)


def _do_nots(blocks: Blocks, data: Entry) -> None:
    if data["do_not"]:
        blocks.heading(Text("Do not", "不要"))
        of = data.get("do_not_for") or [()] * len(data["do_not"])
        for say, causes in zip(data["do_not"], of, strict=True):
            name = f"{', '.join(causes)}: " if causes else ""
            blocks.paragraph(f"{name}{say}", "    ", "  x ")


def _cause(blocks: Blocks, data: Entry) -> None:
    console = blocks.console
    since = Text("since {v}", "自 {v} 起").fill(v=data["since"])
    console.styled(console.style(f"{data['name']} ({data['code']})", "bold") + f"  {since}")
    blocks.paragraph(data["title"])
    blocks.heading(Text("Why it happens", "为什么会这样"))
    blocks.paragraph(data["why"], "  ")
    blocks.heading(Text("What you would see", "会看到什么"))
    for row in data["shows"]:
        blocks.paragraph(_WITH.fill(what=row["title"], with_=WEIGHT[row["level"]]), "    ", "  ")
    for row in data["told_by"]:
        title = _ASKED.fill(of=row["of"], title=row["title"]) if row["of"] else row["title"]
        blocks.paragraph(_WITH.fill(what=title, with_=WEIGHT[row["weight"]]), "    ", "  ")
    for line in data["prints"]:
        blocks.paragraph(line, "    | ", "  | ")
    if data["versions"]:
        versions = Text("versions: {v}", "涉及版本：{v}").fill(v=", ".join(data["versions"]))
        blocks.paragraph(versions, "    ", "  ")
    _remedies(blocks, data)
    _do_nots(blocks, data)
    if data["mistaken_for"]:
        blocks.heading(Text("Easily mistaken for", "容易混淆的原因"))
        for row in data["mistaken_for"]:
            by = Text("parted by: {c}", "区分依据：{c}").fill(c=row["parted_by"] or "-")
            named = _WITH.fill(what=row["title"], with_=row["name"])
            blocks.paragraph(joined([named, by]), "    ", "  ")
    _sources(blocks, data)


def _sources(blocks: Blocks, data: Entry) -> None:
    blocks.heading(Text("Sources", "来源"))
    for source in data["sources"]:
        blocks.paragraph(source, "    ", "  ")


def _check(blocks: Blocks, data: Entry) -> None:
    console = blocks.console
    console.styled(
        console.style(f"{data['title']}", "bold") + "  " + console.style(data["name"], "dim")
    )
    _apart(blocks, data)
    for row in data["thresholds"]:
        blocks.paragraph(
            f"{row['name']} = {row['value']:g} {row['unit']} ({row['source']})", "    ", "  "
        )


def _remedy_page(blocks: Blocks, data: Entry) -> None:
    _remedy(blocks, data, "")


def _procedure(blocks: Blocks, data: Entry) -> None:
    console = blocks.console
    console.styled(
        console.style(f"{data['title']}", "bold") + "  " + console.style(data["name"], "dim")
    )
    for i, step in enumerate(data["steps"], start=1):
        minutes = Text("{n} min", "{n} 分钟").fill(n=f"{step['minutes']:g}")
        blocks.paragraph(f"{step['do']} ({minutes})", "     ", f"  {i}. ")
        for line in (*step["command"].splitlines(), *step["snippet"].splitlines()):
            console.out("       " + line)
        for outcome in step["outcomes"]:
            line = f"{outcome['title']} -> {outcome['target']}"
            blocks.paragraph(line, "         ", "       ")


def _term(blocks: Blocks, data: Entry) -> None:
    console = blocks.console
    kind = console.style(str(TERM[data["term_kind"]]), "dim")
    console.styled(console.style(", ".join(data["says"][:3]), "bold") + f"  {kind}")
    blocks.paragraph(data["title"])
    blocks.paragraph(data["what"], "  ")
    if data["read_by"]:
        who = Text("read or printed by: {who}", "由谁读取或打印：{who}")
        blocks.paragraph(who.fill(who=", ".join(data["read_by"])), "  ")
    if data["since"] or data["until"]:
        span = Text("since {a}, until {b}", "自 {a} 起，至 {b} 止")
        blocks.paragraph(
            span.fill(a=data["since"] or "?", b=data["until"] or Text("today", "今")), "  "
        )
    if data["myth"]:
        blocks.heading(Text("A myth", "误解"))
        blocks.paragraph(data["myth"], "    ", "  x ")
    if data["do"]:
        blocks.heading(Text("What to do", "怎么办"))
        blocks.paragraph(data["do"], "  ")
    _see(blocks, data["see"])
    _sources(blocks, data)


def _argument(blocks: Blocks, data: Entry) -> None:
    console = blocks.console
    kind = console.style(str(Text("argument", "参数")), "dim")
    console.styled(console.style(data["name"], "bold") + f"  {kind}")
    names = data["frameworks"]
    whose = Text("an argument of {names}", "{names} 的参数")
    blocks.paragraph(whose.fill(names=Text(", ".join(names), "、".join(names))), "  ")
    if data["values"]:
        takes = Text("takes {what}", "取值：{what}")
        blocks.paragraph(takes.fill(what=data["values"]), "  ")
    _rules(blocks, data)


def rules(console: Console, data: Entry) -> None:
    """What the frameworks refuse, ignore or read otherwise of an argument."""
    _rules(Blocks(console), data)


def _rules(blocks: Blocks, data: Entry) -> None:
    if data["rules"]:
        blocks.heading(Text("What the frameworks make of it", "框架如何对待它"))
    for rule in data["rules"]:
        told = Text("{framework}: {say}", "{framework}：{say}")
        blocks.paragraph(told.fill(rule), "     ", "  -> ")


def _see(blocks: Blocks, rows: Sequence[Entry]) -> None:
    """Other entries of a term: what goes wrong with it, and what else tells of it."""
    headings = (
        ("fault", Text("What goes wrong with it", "与它有关的故障")),
        ("", Text("See also", "另见")),
    )
    for kind, heading in headings:
        own = [row for row in rows if row["kind"] == kind]
        if own:
            blocks.heading(heading)
        for row in own:
            blocks.paragraph(f"{row['title']} ({row['name']})", "     ", "  -> ")
