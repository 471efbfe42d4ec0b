"""What ``medic explain`` does, apart from its options: a start of plain words loads no parser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medic.commands.given import knowledge
from medic.errors import Exit, UsageError
from medic.explain import (
    KIND_NAME,
    Match,
    about,
    diagnosed,
    entry,
    find,
    named_in,
    printed_among,
)
from medic.explain.arguments import argument
from medic.explain.numbers import Unknown, unknown, unknown_name
from medic.i18n import Text, follow
from medic.index.knowledge import Index
from medic.nearest import did_you_mean
from medic.report.console import Console
from medic.text.safetext import one_line

FIELD_WORDS = ("fields", "字段")
_NAME_WORDS = 5  # with more it is a sentence
_SHOWN = 200  # columns of the words that are told back
MOST = 6  # causes on a page that fits a few screens
KIND_TITLES = {
    "symptoms": Text("Symptoms", "症状"),
    "checks": Text("Checks", "检查"),
    "causes": Text("Causes", "原因"),
    "remedies": Text("Remedies", "处置"),
    "procedures": Text("Procedures", "步骤"),
    "terms": Text("Terms", "术语"),
}


def explain(words: Sequence[str], *, as_json: bool = False, whole: bool = False) -> int:
    """Prints what the words mean; without words the table of causes. Returns the exit code.

    A symptom's page tells of its most common causes; JSON, and ``whole``, of all.
    """
    out = Console()
    index = knowledge()
    if not words:
        _table(out, index, as_json)
        return Exit.OK
    asked = " ".join(words)
    follow(asked)
    if asked.strip().lower() in FIELD_WORDS:
        fields(as_json=as_json)
        return Exit.OK
    if told := unknown(asked, index):
        _unknown(out, told, index, as_json)
        return Exit.FINDING
    matches = find(asked, index)
    if not matches and _is_usage(asked):
        matches = named_in(asked, index)
    if matches and matches[0].score < 1 and _is_usage(asked):
        _usage(out, matches, index, as_json)
        return Exit.FINDING
    if not _sure(matches) and (told := unknown_name(asked, index)):
        _unknown(out, told, index, as_json)
        return Exit.FINDING
    if not _sure(matches) and len(words) == 1 and Path(words[0]).exists():
        _file_given(out, words[0])
        return Exit.FINDING
    if not matches and (data := argument(asked, index)) is not None:
        _argument(out, data, index, as_json)
        return Exit.OK
    if not matches:
        _no_match(out, asked, index, as_json)
        return Exit.FINDING
    seen = diagnosed(asked, index)
    if seen.symptom:
        shown = Match(KIND_NAME["symptoms"], seen.symptom, 1.0)
        matches = [shown, *(m for m in matches if m.name != seen.symptom)]
    named = seen.causes or printed_among(asked, matches, index)
    data = entry(matches[0], index, None if whole or as_json else MOST, asked, named)
    if as_json:
        _json(out, matches, data)
        return Exit.OK
    from medic.report import explain_text

    explain_text.entry(out, data)
    if data["kind"] == "term" and (own := argument(asked, index)) is not None:
        explain_text.rules(out, own)
    _memory(out, asked, index)
    _others(out, matches[1:4], index)
    return Exit.OK


def fields(*, as_json: bool = False) -> None:
    """Prints the fields of a run: what --set takes, what a talk understands, what checks need."""
    from medic.report import fields_text
    from medic.report.dumps import dumps

    out = Console()
    if as_json:
        entry = {"kind": "fields", "fields": fields_text.rows()}
        out.raw(dumps({"schema": "medic.explain/1", "matches": [], "entry": entry}))
        return
    fields_text.table(out)


def _is_usage(asked: str) -> bool:
    from medic.match import asks_usage

    return asks_usage(asked)


def _usage(out: Console, matches: Sequence[Match], index: Index, as_json: bool) -> None:
    """A question of how something is done: no failure is told, only what is near."""
    if as_json:
        _json(out, matches, None)
    line = Text(
        "This asks how something is done and tells of no failure; medic explains failures, their "
        "causes, checks, terms and settings. Nearest: {names}",
        "这是在问用法，没有说到故障；medic 解释的是故障及其原因、检查、术语和设置。相近条目：{names}",
    )
    out.talk(line.fill(names=_named(matches[:MOST], index)))


def _named(matches: Sequence[Match], index: Index) -> Text:
    """Entries by name and title, in a row."""
    one = Text("{name} ({title})", "{name}（{title}）")
    each = [one.fill(name=m.name, title=index.title(m.name)) for m in matches]
    return Text(", ".join(t.en for t in each), "、".join(t.zh for t in each))


def _memory(out: Console, words: str, index: Index) -> None:
    """The numbers of a pasted out-of-memory message."""
    if "GiB" not in words and "MiB" not in words:
        return
    from medic.oom import of_words
    from medic.report import oom_text

    oom_text.shown(out, of_words(words, index))


def _json(out: Console, matches: Sequence[Match], data: dict[str, Any] | None) -> None:
    from medic.report.dumps import dumps

    rows = [{"kind": m.kind, "name": m.name, "score": round(m.score, 3)} for m in matches]
    out.raw(dumps({"schema": "medic.explain/1", "matches": rows, "entry": data}))


def _argument(out: Console, data: dict[str, Any], index: Index, as_json: bool) -> None:
    """An argument of frameworks, and the entries that speak of it."""
    name = str(data["name"])
    places = about.speaking_of(name, index, MOST)
    near = [Match(KIND_NAME[kind], entry, about.NEAR) for kind, entry in places]
    if as_json:
        _json(out, near, data)
        return
    from medic.report import explain_text

    explain_text.entry(out, data)
    if near:
        line = Text("\nThese speak of it: {names}", "\n提到它的条目：{names}")
        out.talk(line.fill(names=_named(near, index)))


def _no_match(out: Console, words: str, index: Index, as_json: bool) -> None:
    """Of a name that no entry has, where it is spoken of."""
    words, places = _spoken_of(words, index)
    near = [Match(KIND_NAME[kind], name, about.NEAR) for kind, name in places]
    if as_json:
        _json(out, near, None)
    if near:
        spoken = Text(
            'no entry has the name "{words}"; these speak of it: {names}',
            "没有名为 “{words}” 的条目；提到它的条目：{names}",
        )
        out.talk(spoken.fill(words=one_line(words, _SHOWN), names=_named(near, index)))
        return
    line = Text(
        'nothing known that matches "{words}"; try fewer words, or the line of the log',
        "没有与 “{words}” 匹配的条目；可减少用词，或直接给出日志中的那一行",
    )
    out.talk(line.fill(words=one_line(words, _SHOWN)))


def _spoken_of(words: str, index: Index) -> tuple[str, list[tuple[str, str]]]:
    """The longest part of a name, two words at least, that entries speak of, and their places: of
    "nccl flight recorder" the last two words. Without any, all of it and no place."""
    from medic.match.words import terms_of

    parts = words.split()
    if len(parts) <= _NAME_WORDS:
        for size in range(len(parts), 1, -1):
            for at in range(len(parts) - size, -1, -1):
                part = " ".join(parts[at : at + size])
                if size < len(parts) and len(terms_of(part)) < 2:
                    continue  # "of the"
                if places := about.speaking_of(part, index, MOST):
                    return part, places
    return words, about.speaking_of(words, index, MOST)


def _file_given(out: Console, path: str) -> None:
    """Who asks what a file means wants it read."""
    line = Text(
        "{path} is here: medic diagnose {path} reads it; medic explain takes a message or a name",
        "{path} 是本机上的路径：用 medic diagnose {path} 读取它；medic explain 解释的是报错或名称",
    )
    out.talk(line.fill(path=one_line(path, _SHOWN)))


def _sure(matches: Sequence[Match]) -> bool:
    return bool(matches) and matches[0].score >= 1


def _unknown(out: Console, told: Unknown, index: Index, as_json: bool) -> None:
    """A code of a kind that medic knows, and not this one of it."""
    if as_json:
        _json(out, [Match(KIND_NAME["terms"], name, about.NEAR) for _, name in told.near], None)
    line = Text("medic has no entry for {code}", "medic 没有 {code} 的条目")
    out.talk(line.fill(code=told.code))
    if told.signal:
        shell = Text(
            "Above 128 an exit code is 128 + the signal that ended the program: signal {n}; "
            "kill -l {n} names it.",
            "大于 128 的退出码等于 128 + 结束程序的信号：信号 {n}；kill -l {n} 可查看它的名字。",
        )
        out.talk(shell.fill(n=told.signal))
    if told.near:
        rows = [Match(KIND_NAME["terms"], name, about.NEAR) for _, name in told.near]
        codes = ", ".join(code for code, _ in told.near)
        near = Text("nearest that it has: {codes}: {names}", "最接近的条目：{codes}：{names}")
        out.talk(near.fill(codes=codes, names=_named(rows, index)))


def _others(out: Console, matches: Sequence[Match], index: Index) -> None:
    if matches:
        line = Text("\nAlso near: {names}", "\n相近条目：{names}")
        out.talk(line.fill(names=_named(matches, index)))


def listing(*, family: str = "", as_json: bool = False) -> int:
    """Prints every entry by kind, or the causes of one family. Returns the exit code."""
    out = Console()
    index = knowledge()
    if family:
        _family(out, index, family, as_json)
        return Exit.OK
    if as_json:
        _json(
            out, [Match(KIND_NAME[k], name, 1.0) for k in KIND_NAME for name in index.raw[k]], None
        )
        return Exit.OK
    for kind, title in KIND_TITLES.items():
        out.styled(out.style(f"{title} ({len(index.raw[kind])})", "bold"))
        for name in sorted(index.raw[kind]):
            out.out(f"  {name:<44} {index.title(name)}")
    return Exit.OK


def _family(out: Console, index: Index, family: str, as_json: bool) -> None:
    rows = sorted((c.code, c.name, c.title) for c in index.causes.values() if c.family == family)
    if not rows:
        families = sorted({c.family for c in index.causes.values()})
        hint = did_you_mean(family, families)
        names = ", ".join(families)
        raise UsageError(
            f'no family "{family}"{hint.en}; there are: {names}',
            f"没有类别 “{family}”{hint.zh}；现有：{names}",
        )
    if as_json:
        _json(out, [Match("cause", name, 1.0) for _, name, _ in rows], None)
        return
    for code, name, title in rows:
        out.out(f"  {code}  {name:<40} {title}")


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
