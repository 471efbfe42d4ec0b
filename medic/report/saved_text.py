"""Kept consultations as text: a list, the talk as it was said, and Markdown."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from medic.i18n import Text
from medic.planner.verdict import NOTHING_NAMED
from medic.report.words import VERDICT
from medic.text.safetext import cut_left, for_markdown, one_line, wrap

if TYPE_CHECKING:
    from medic.session.saved import Saved

NONE = Text("No session is kept yet.", "还没有保存过会话。")
BROKEN = Text("cannot be read", "无法读取")
PASTED = Text("pasted text", "粘贴的文本")
GO_ON = Text(
    "medic resume ID goes on with one, medic show ID prints it.",
    "medic resume 编号 继续会话，medic show 编号 输出会话。",
)
INDENT = 6
MINUTE = 60.0  # seconds
UNSURE = ("possible", "unlikely", "ruled-out")  # of the first cause: nothing leads yet
UNCLEAR = Text("not clear yet, first of many", "尚不明确，排在最前的是")
ONLY_WRONG = Text("no failure was seen, but this is wrong", "没有看到故障，但这里有问题")
FIXED = Text("Fixed", "已修复")
OPEN = Text("not finished", "未完成")
WHO = {"you": Text("you", "你"), "probe": Text("probes", "探针"), "medic": Text("medic", "medic")}
STANDS = Text("Where it stands", "当前情况")
TALK = Text("The talk", "完整对话")
ABOUT = Text(
    "{root}, from {opened} to {changed}, medic {version}",
    "{root}，{opened} 至 {changed}，medic {version}",
)
TITLE = Text("medic session {id}: {what}", "medic 会话 {id}：{what}")
TAKEN_BACK = Text("taken back since", "之后已撤销")
Record = Mapping[str, Any]


def by_minute(kept: Iterable[Saved]) -> list[Saved]:
    """The newest first, as a list shows them: times are told in minutes, and within one minute the
    numbers say which came later."""
    return sorted(kept, key=lambda s: (-(s.changed // MINUTE), -int(s.id[1:])))


def outcome(saved: Saved, *, coded: bool = True) -> Text:
    """What a consultation came to, in a line; ``coded``: with the code of the cause."""
    if saved.verdict not in VERDICT:
        return OPEN
    verdict, leader = VERDICT[saved.verdict], saved.data.get("leader") or {}
    mended = saved.data.get("mended")
    if mended and saved.verdict in {"healthy", "no-fault-seen"}:
        en, zh, code = mended[0]  # what it was tells more of a talk than that it is over
        return _titled(FIXED, Text(en, zh), code if coded else "")
    if saved.title is None or saved.verdict in {"none-of-these", *NOTHING_NAMED}:
        return verdict
    if saved.verdict == "likely" and leader.get("wrong"):
        verdict = ONLY_WRONG
    elif saved.verdict == "unclear" or (saved.verdict == "likely" and leader.get("word") in UNSURE):
        verdict = UNCLEAR
    return _titled(verdict, saved.title, saved.code if coded else "")


def _titled(what: Text, title: Text, code: str) -> Text:
    pattern = Text("{what}: {title}", "{what}：{title}")
    if code:
        pattern = Text("{what}: {title} ({code})", "{what}：{title}（{code}）")
    return pattern.fill(what=what, title=title, code=code)


def listing(kept: Sequence[Saved], broken: Sequence[str] = (), width: int = 80) -> Iterator[str]:
    """Each consultation: when and of what, below it what came out, in rows of at most ``width``
    columns; ``broken``: the ids of those that cannot be read."""
    if not kept and not broken:
        yield str(NONE)
    for saved in kept:
        head = f"{saved.id:<{INDENT}}{_at(saved.changed)}  "
        yield head + cut_left(one_line(saved.place or str(PASTED)), width - len(head))
        for row in wrap(one_line(str(outcome(saved))), width - INDENT):
            yield " " * INDENT + row
    for name in broken:
        yield f"{name:<{INDENT}}{BROKEN}"
    if kept:
        yield ""
        yield from wrap(str(GO_ON), width)


def _at(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _said(value: Any) -> str:
    """A text of a record in the language in use."""
    if isinstance(value, str):
        return value
    try:
        return str(Text(str(value[0]), str(value[1])))
    except (TypeError, IndexError):
        return ""


def spoken(record: Record) -> Iterator[str]:
    """One thing said, as plain lines."""
    who = str(WHO.get(str(record.get("who")), ""))
    lead = f"[{who}]" if who else ""
    for line in record.get("lines", ()):
        indent = " " * int(line.get("indent", 0))
        rows = _said(line.get("text", "")).split("\n")
        where = f"  {_said(line['where'])}" if "where" in line else ""
        yield f"{lead:<9}{indent}{line.get('mark', '')}{' '.join(rows)}{where}"
        lead = ""


def markdown(saved: Saved, talk: Sequence[Record]) -> Iterator[str]:
    """Where the case stands and the whole talk; text from the case is escaped or fenced."""
    yield f"# {for_markdown(str(TITLE.fill(id=saved.id, what=outcome(saved))))}"
    yield ""
    about = ABOUT.fill(
        root=saved.place or PASTED,
        opened=_at(saved.opened),
        changed=_at(saved.changed),
        version=saved.data.get("medic", ""),
    )
    yield for_markdown(str(about))
    stand = saved.data.get("stand", ())
    if stand:
        gone = _taken_back(saved)
        yield from ("", f"## {STANDS}", "")
        for record in stand:
            yield from _block(_now(record, gone))
    if talk:
        yield from ("", f"## {TALK}", "")
        for record in talk:
            yield from _block(record)


def _taken_back(saved: Saved) -> tuple[str, ...]:
    """How the lines of its changes begin that were undone since."""
    from medic.session.saved import taken_back

    changes = [str(one["change"]) for one in saved.data["applied"]]
    return tuple(f"{c}{colon}" for c in changes if taken_back(c) for colon in (": ", "："))


def _now(record: Record, gone: tuple[str, ...]) -> Record:
    """What stood as it was kept, with what became of the changes in it."""
    if not gone:
        return record
    told = [TAKEN_BACK.en, TAKEN_BACK.zh]
    lines = [
        line | {"where": told} if _said(line.get("text", "")).startswith(gone) else line
        for line in record.get("lines", ())
    ]
    return {**record, "lines": lines}


def _block(record: Record) -> Iterator[str]:
    if record.get("code"):
        code = str(record["code"]).rstrip("\n").replace("```", "'''")
        kind = "diff" if code.startswith("--- ") else ""
        yield from (f"```{kind}", *code.split("\n"), "```", "")
        return
    if record.get("who") == "you":
        for line in record.get("lines", ()):
            yield f"> {for_markdown(line.get('mark', '') + _said(line.get('text', '')))}"
        yield ""
        return
    for line in record.get("lines", ()):
        yield _item(line)
    yield ""


def _item(line: Record) -> str:
    """A line as a paragraph, or as an item of a list where it had a mark or an indent."""
    text = for_markdown(_said(line.get("text", "")))
    where = f" `{_said(line['where']).replace('`', '')}`" if "where" in line else ""
    mark = str(line.get("mark", "")).strip().strip("\u00b7")
    if mark == "|":
        return f"  > {text}"
    if line.get("tone") == "strong" and not mark:
        return f"\n**{text}**{where}\n"
    if not mark and not line.get("indent"):
        return f"{text}{where}  "
    return f"- {for_markdown(mark)}{' ' if mark else ''}{text}{where}"
