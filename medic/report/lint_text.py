"""Lint findings as text and one line each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from medic.facts import GpuMemory
from medic.i18n import Text
from medic.lint.found import LintFinding, LintReport
from medic.report.blocks import Blocks
from medic.report.console import Console
from medic.report.words import SAFE, SEVERITY, UNSAFE
from medic.run_config import MORE, NOBODYS
from medic.text.safetext import clean, columns, one_line

if TYPE_CHECKING:
    from medic.fixes import Fix

COLOR = {"error": "red", "warning": "yellow", "info": "blue"}

_AROUND = 40  # characters before a place far to the right in a long line
_SHOWN = 160  # columns of a line of a file


def full(console: Console, report: LintReport) -> None:
    """The default form: the line, the value underlined, what follows, the fix."""
    for finding in report.findings:
        _one(console, finding)
    summary(console, report)


def _title(finding: LintFinding) -> str:
    fix = finding.fix
    mark = ""
    if fix is not None:
        mark = " [*]" if fix.safe else str(Text(" [unsafe fix]", " [有风险的修复]"))
    name = f"{finding.name} ({finding.code}, {SEVERITY[finding.severity]}){mark}"
    where = _where(finding)
    return f"{where}: {name}" if where else name


def _where(finding: LintFinding) -> str:
    """As much of file:line:column as the finding has."""
    file = one_line(finding.file)
    if not finding.line:
        return file
    column = f":{finding.column}" if finding.column else ""
    return f"{file}:{finding.line}{column}"


def _one(console: Console, finding: LintFinding) -> None:
    console.styled(console.style(_title(finding), "bold", COLOR[finding.severity]))
    lines = _lines(finding.file)
    gutter = len(str(finding.line))
    blocks = Blocks(console)
    if lines and 0 < finding.line <= len(lines):
        console.out(" " * gutter + " |")
        if finding.line > 1:
            console.out(f"{finding.line - 1:>{gutter}} | {one_line(lines[finding.line - 2], 100)}")
        text, column = _window(lines[finding.line - 1], max(0, finding.column - 1))
        console.out(f"{finding.line:>{gutter}} | {one_line(text, _SHOWN)}")
        before = min(columns(clean(text[:column])), _SHOWN)
        size = max(1, min(finding.end_column - finding.column, _SHOWN - before))
        marks = " " * before + "^" * size
        _message(blocks, str(finding.message), f"{' ' * gutter} | ", marks)
        console.out(" " * gutter + " |")
    else:
        blocks.paragraph(str(finding.message), " " * gutter + "   ")
    lead = " " * gutter + " = "
    if others := also(finding):
        blocks.paragraph(others, " " * (gutter + 3), lead)
    words = Text("then: ", "后果：")
    blocks.paragraph(str(words) + str(finding.consequence), " " * (gutter + 9), lead)
    _fix(blocks, finding, lead, gutter)
    console.styled("")


def _window(text: str, column: int) -> tuple[str, int]:
    """A line and a place in it, counted from 0; of a long one the part around the place."""
    if column < _SHOWN - _AROUND:
        return text, column
    start = column - _AROUND
    return f"…{text[start:]}", column - start + 1


def _message(blocks: Blocks, message: str, lead: str, marks: str) -> None:
    """Beside the marks where it fits, else below them."""
    room = blocks.width - columns(lead)
    if columns(f"{marks} {message}") <= room:
        blocks.console.out(f"{lead}{marks} {message}")
        return
    blocks.console.out(f"{lead}{marks}")
    blocks.paragraph(message, lead + "  ")


def _fix(blocks: Blocks, finding: LintFinding, lead: str, gutter: int) -> None:
    if finding.fix is None:
        for note in finding.by_hand:
            words = Text("by hand: ", "请手工处理：")
            blocks.paragraph(f"{words}{note}", " " * (gutter + 12), lead)
        return
    comma = str(Text("; ", "；"))
    shown = comma.join(_shown(*one) for one in finding.shown if any(one))
    safe = SAFE if finding.fix.safe else UNSAFE
    words = Text("fix:  ", "修复：")
    why = comma.join(reasons(finding.fix))
    if not shown:
        shown, why = why, ""
    tail = Text(" ({safe}: {why})", "（{safe}：{why}）") if why else Text(" ({safe})", "（{safe}）")
    tail = tail.fill(safe=safe, why=why)
    blocks.paragraph(f"{words}{shown}{tail}", " " * (gutter + 9), lead)


def reasons(fix: Fix) -> Iterator[str]:
    """Why the change is the right one, and what it costs where that is to be weighed."""
    if fix.repair is not None:
        yield str(fix.repair.why)
        return
    yield from [str(c.why) for c in fix.changes if c.old != c.new and str(c.why)][:1]
    yield from (str(note) for note in fix.notes)
    if not fix.safe:
        yield str(fix.remedy.costs.say)


def _shown(key: str, old: str, new: str) -> str:
    """A change in few words, as the file has them; a line that is added has only the new ones."""
    if not old:
        return str(Text("add {new}", "添加 {new}").fill(new=new))
    if not new:
        return str(Text("leave out {old}", "删去 {old}").fill(old=old))
    return f"{key}: {old} -> {new}" if key else f"{old} -> {new}"


def also(finding: LintFinding) -> str:
    """The other places of the fault: lines of the same file, then those of others."""
    said = f"{finding.message.en} "  # a line that it names is not told again
    same = [str(line) for file, line in finding.also if file == finding.file]
    lines = [line for line in same if f"line {line} " not in said]
    rest = [f"{one_line(file)}:{line}" for file, line in finding.also if file != finding.file]
    if not lines and not rest:
        return ""
    word = Text("line {n}", "第 {n} 行") if len(lines) == 1 else Text("lines {n}", "第 {n} 行")
    own = [str(word.fill(n=", ".join(lines)))] if lines else []
    places = ", ".join((*own, *rest))
    return str(Text("also at {places}", "另见{places}").fill(places=places))


def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text("utf-8", "replace").split("\n")
    except OSError:
        return []


def concise(console: Console, report: LintReport) -> None:
    for f in report.findings:
        places = f" ({others})" if (others := also(f)) else ""
        console.out(f"{_title(f)} {one_line(str(f.message))}{places}")
    summary(console, report)


def summary(console: Console, report: LintReport) -> None:
    """Counts on stderr: what was found, what was read, what could not be checked."""
    fixes = [f.fix for f in report.findings if f.fix is not None]
    safe = sum(fix.safe for fix in fixes)
    line = Text(
        "findings: {n}; files read: {files}; checks passed: {passed}, not checked: {gaps} "
        "(--missing lists them)",
        "问题：{n}；已读取文件：{files}；检查通过：{passed}，未检查：{gaps}（--missing 可列出）",
    )
    values = {
        "n": len(report.findings),
        "files": len(report.read),
        "passed": len(report.passed),
        "gaps": len(report.not_checked),
    }
    console.talk(line.fill(values))
    _whose(console, report)
    if GpuMemory in report.facts:
        _memory(console, report)
    if fixes:
        told = Text(
            "[*] fixable with --fix: {safe} (with --unsafe-fixes: {unsafe} more)",
            "[*] --fix 可修复 {safe} 处（加 --unsafe-fixes 另可修复 {unsafe} 处）",
        )
        if not safe:  # no finding above has the mark
            told = Text(
                "fixable with --unsafe-fixes: {unsafe}", "加 --unsafe-fixes 可修复 {unsafe} 处"
            )
        console.talk(told.fill(safe=safe, unsafe=len(fixes) - safe))
    if report.ignored:
        told = Text("ignored by comments or [tool.medic]: {n}", "被注释或 [tool.medic] 忽略：{n}")
        console.talk(told.fill(n=len(report.ignored)))
    for idle in report.idle:
        if idle.unknown:
            console.talk(f"{one_line(idle.file)}:{idle.line}: {idle.text}")
    for item in report.not_read:
        text = Text("not read: {file}: {why}", "未读取：{file}：{why}")
        console.talk(text.fill(file=one_line(item.file), why=Text(item.en, item.zh)))
    for name, why in report.failed:
        console.talk(
            Text("not checked: probe {n} failed: {w}", "未检查：探针 {n} 失败：{w}").fill(
                n=name, w=why
            )
        )


def _memory(console: Console, report: LintReport) -> None:
    """Whether the launch fits its GPU, where that is known."""
    from medic.report.memory_line import CLAIMS, memory_line

    unclaimed = any(name in CLAIMS for name, _ in report.not_checked)
    claimed = any(finding.name in CLAIMS for finding in report.findings)
    memory_line(console, report.facts, unclaimed=unclaimed and not claimed)


def _whose(console: Console, report: LintReport) -> None:
    """Of files that are no known framework's: which of their keys were understood, by their names."""
    config = report.run_config
    if not report.read or report.parts or not config.nobodys:
        return
    kinds: tuple[str, ...] = ("yaml", "json", "toml")
    if not any(s.origin.syntax in kinds and s.origin.framework in NOBODYS for s in config.settings):
        kinds = ("shell",)  # the flags of a script's own parser
    stated = [
        value.origin.key
        for value in config.values.values()
        if value.origin.source == "file"
        and value.origin.syntax in kinds
        and value.origin.framework in NOBODYS
    ]
    keys = {
        s.origin.span
        for s in config.settings
        if s.origin.syntax in kinds and s.origin.framework in NOBODYS and s.path != (MORE,)
    }
    if not keys:
        return
    line = Text(
        "no framework is recognised; read by their names: {n} of {m} keys{which}",
        "未识别出框架；按名称读懂了 {m} 个键中的 {n} 个{which}",
    )
    if kinds == ("shell",):
        line = Text(
            "no framework is recognised; read by their names: {n} of {m} flags{which}",
            "未识别出框架；按名称读懂了 {m} 个参数中的 {n} 个{which}",
        )
    names = ", ".join(one_line(key) for key in dict.fromkeys(stated))
    which = Text(" ({w})", "（{w}）").fill(w=names) if names else ""
    Blocks(console).aside(line.fill(n=len(stated), m=len(keys), which=which))


def missing(console: Console, report: LintReport) -> None:
    """What would let more checks run, and which: what one check alone needs stands last."""
    waiting: dict[str, list[str]] = {}
    for name, needs in report.not_checked:
        waiting.setdefault(str(needs), []).append(name)
    if waiting:
        told = Text(
            "checks that could not be made, by what they need (another file of the launch, or "
            "--set FIELD=VALUE):",
            "未能进行的检查，按所需信息列出（补充启动所用的其他文件，或用 --set FIELD=VALUE）：",
        )
        console.out(str(told))
    for needs, names in sorted(waiting.items(), key=lambda item: (-len(item[1]), item[0])):
        line = Text("  needs {needs}: {names}", "  需要 {needs}：{names}")
        console.out(line.fill(needs=needs, names=", ".join(names)))
    for idle in report.idle:
        if not idle.unknown:
            console.out(f"{one_line(idle.file)}:{idle.line}: {idle.text}")
