"""Kept consultations as text: a list, the talk as it was said, and Markdown."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from medic.i18n import Text
from medic.report.words import VERDICT
from medic.safetext import for_markdown, one_line

if TYPE_CHECKING:
    from medic.saved import Saved

NONE = Text("No session is kept yet.", "还没有保存过会话。")
BROKEN = Text("cannot be read", "无法读取")
OPEN = Text("not finished", "未完成")
WHO = {"you": Text("you", "你"), "probe": Text("probes", "探针"), "medic": Text("medic", "medic")}
STANDS = Text("Where it stands", "当前情况")
TALK = Text("The talk", "完整对话")
ABOUT = Text(
    "{root}, from {opened} to {changed}, medic {version}",
    "{root}，{opened} 至 {changed}，medic {version}",
)
TITLE = Text("medic session {id}: {what}", "medic 会话 {id}：{what}")
Record = Mapping[str, Any]


def outcome(saved: Saved, *, coded: bool = True) -> Text:
    """What a consultation came to, in a line; ``coded``: with the code of the cause."""
    if saved.verdict not in VERDICT:
        return OPEN
    verdict = VERDICT[saved.verdict]
    if saved.title is None or saved.verdict in ("healthy", "no-fault-seen", "none-of-these"):
        return verdict
    if not coded:
        return Text("{verdict}: {title}", "{verdict}：{title}").fill(
            verdict=verdict, title=saved.title
        )
    pattern = Text("{verdict}: {title} ({code})", "{verdict}：{title}（{code}）")
    return pattern.fill(verdict=verdict, title=saved.title, code=saved.code)


def listing(kept: Sequence[Saved], broken: Sequence[str] = ()) -> Iterator[str]:
    """One line a consultation; ``broken``: the ids of those that cannot be read."""
    if not kept and not broken:
        yield str(NONE)
    for saved in kept:
        root = one_line(saved.root or "-", 30)
        yield f"{saved.id:<5} {_at(saved.changed)}  {root:<30}  {one_line(str(outcome(saved)))}"
    for name in broken:
        yield f"{name:<5} {BROKEN}"


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
        root=saved.root or "-",
        opened=_at(saved.opened),
        changed=_at(saved.changed),
        version=saved.data.get("medic", ""),
    )
    yield for_markdown(str(about))
    stand = saved.data.get("stand", ())
    if stand:
        yield from ("", f"## {STANDS}", "")
        for record in stand:
            yield from _block(record)
    if talk:
        yield from ("", f"## {TALK}", "")
        for record in talk:
            yield from _block(record)


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
    mark = str(line.get("mark", "")).strip()
    if mark == "|":
        return f"  > {text}"
    if line.get("tone") == "strong" and not mark:
        return f"\n**{text}**{where}\n"
    if not mark and not line.get("indent"):
        return f"{text}{where}  "
    return f"- {for_markdown(mark)}{' ' if mark else ''}{text}{where}"
