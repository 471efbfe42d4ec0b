"""What ``medic explain`` does, apart from its options: a start of plain words loads no parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from medic.config import extra_knowledge
from medic.errors import Exit
from medic.explain import Match, entry, find
from medic.i18n import Text
from medic.index import Index, load
from medic.report.console import Console


def explain(words: Sequence[str], *, as_json: bool = False) -> int:
    """Prints what the words mean; without words the table of causes. Returns the exit code."""
    out = Console()
    index = load(extra_knowledge())
    if not words:
        _table(out, index, as_json)
        return Exit.OK
    matches = find(" ".join(words), index)
    if not matches:
        _no_match(out, " ".join(words), as_json)
        return Exit.FINDING
    data = entry(matches[0], index)
    if as_json:
        _json(out, matches, data)
        return Exit.OK
    from medic.report import explain_text

    explain_text.entry(out, data)
    _others(out, matches[1:4], index)
    return Exit.OK


def _json(out: Console, matches: Sequence[Match], data: dict[str, Any] | None) -> None:
    from medic.report.dumps import dumps

    rows = [{"kind": m.kind, "name": m.name, "score": round(m.score, 3)} for m in matches]
    out.raw(dumps({"schema": "medic.explain/1", "matches": rows, "entry": data}))


def _no_match(out: Console, words: str, as_json: bool) -> None:
    if as_json:
        _json(out, [], None)
    line = Text(
        'nothing known that matches "{words}"; try fewer words, or the line of the log',
        "没有与 “{words}” 匹配的条目；可减少用词，或直接给出日志中的那一行",
    )
    out.talk(line.fill(words=words))


def _others(out: Console, matches: Sequence[Match], index: Index) -> None:
    if matches:
        names = ", ".join(f"{m.name} ({index.title(m.name)})" for m in matches)
        out.talk(Text("\nAlso near: {names}", "\n相近条目：{names}").fill(names=names))


def _table(out: Console, index: Index, as_json: bool) -> None:
    rows = sorted((c.family, c.code, c.name, c.title) for c in index.causes.values())
    if as_json:
        _json(out, [Match("cause", name, 1.0) for _, _, name, _ in rows], None)
        return
    family = ""
    for own, code, name, title in rows:
        if own != family:
            out.styled(("" if not family else "\n") + out.style(own, "bold"))
            family = own
        out.out(f"  {code}  {name:<34} {title}")
