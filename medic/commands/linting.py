"""What ``medic lint`` does, apart from its options: a start of plain names loads no parser."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from medic.commands.given import case_of, console, knowledge, nothing_read
from medic.commands.named_files import with_named
from medic.errors import Exit, UsageError
from medic.facts import PrintedStart
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.lint.files import launches_of, lint, unread
from medic.lint.found import LintFinding, LintReport, exit_matters, may_launch
from medic.lint.garbage import without_garbage
from medic.lint.ignores import silenced
from medic.lint.merging import merged_fix
from medic.lint.selection import chosen
from medic.report.console import Console
from medic.text.safetext import one_line

if TYPE_CHECKING:
    from medic.case.collect import Case
    from medic.fixes import Fix

# Forms that a program reads: they are printed, and name the file, even where nothing could be read.
_DOCUMENTS = ("json", "sarif", "github")


def check(
    files: Sequence[str],
    *,
    given: Sequence[str] = (),
    form: str = "text",
    as_json: bool = False,
    show_diff: bool = False,
    do_fix: bool = False,
    unsafe_fixes: bool = False,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    show_missing: bool = False,
    show_config: bool = False,
    each: bool = False,
    exit_zero: bool = False,
    redact: bool = False,
) -> int:
    """Prints what is wrong in the files. Returns the exit code."""
    out = console(redact=redact)
    index = knowledge()
    names = chosen(index, select, ignore)
    form = "json" if as_json else form
    whole = not (show_config or show_diff or do_fix)  # a document is printed even of no file
    try:
        case = case_of(files, given)
    except UsageError as problem:
        if whole and form in _DOCUMENTS:
            _render(out, unread(problem, files), index, form)
        raise

    def judged(case: Case) -> LintReport:
        case = without_garbage(case)
        case, more = (case, ()) if each else with_named(case, launches_of(case, index))
        found = lint(case, index, names, apart=each)
        if more:
            line = Text("also read, as the command names it: {f}", "命令中引用、一并读取：{f}")
            out.talk(line.fill(f=", ".join(map(one_line, more))))
        given = {name for file in case.files for name in (file.path, file.name)}
        if beside := [file for file in found.read if file not in given]:
            line = Text("also read, as a file names it: {f}", "文件中引用、一并读取：{f}")
            out.talk(line.fill(f=", ".join(map(one_line, beside))))
        if found.apart is not None:
            out.talk(found.apart)
        return silenced(found, index, names, dict(case.parts), selected=bool(select))

    report = judged(case)
    if not report.read and not case.text and not each:
        if whole and form in _DOCUMENTS:
            _render(out, report, index, form)
        raise nothing_read(report)
    if show_config:
        return _run_config(out, report, form)
    if show_diff or do_fix:
        code, written = _fix(out, report, unsafe=unsafe_fixes, write=do_fix, exit_zero=exit_zero)
        if written and "-" not in files:
            left = judged(case_of(files, given))
            _run_again(out, left, unsafe=unsafe_fixes)
            if left.findings and form in ("text", "concise"):
                _render(out, left, index, form)
            return Exit.OK if may_launch(left) or exit_zero else Exit.FINDING
        return code
    _render(out, report, index, form)
    if show_missing and form in ("text", "concise"):
        _missing(out, report)
    return Exit.OK if may_launch(report) or exit_zero else Exit.FINDING


def _render(out: Console, report: LintReport, index: Index, form: str) -> None:
    if form in ("sarif", "github"):
        _render_ci(out, report, index, form)
        return
    from medic.report import lint_text

    if form == "json":
        from medic.report import lint_json
        from medic.report.dumps import dumps

        out.raw(dumps(lint_json.json_data(report)))
    elif form == "concise":
        lint_text.concise(out, report)
    else:
        lint_text.full(out, report)


def _render_ci(out: Console, report: LintReport, index: Index, form: str) -> None:
    from medic.report import lint_ci
    from medic.report.dumps import dumps

    if form == "sarif":
        out.raw(dumps(lint_ci.sarif(report, index)))
    else:
        lint_ci.github(out, report)


def _missing(out: Console, report: LintReport) -> None:
    from medic.report import lint_text

    lint_text.missing(out, report)


def _run_config(out: Console, report: LintReport, form: str) -> int:
    from medic.report import run_config_text
    from medic.report.dumps import dumps

    if form not in ("text", "json"):
        raise UsageError(
            "--show-run-config is text or json", "--show-run-config 只支持 text 与 json 格式"
        )
    configs = [
        run_config_text.with_printed(part.run_config, part.facts.get(PrintedStart))
        for part in report.parts or (report,)
        if part.read or not report.parts
    ]
    if form == "json":
        data = [run_config_text.json_data(config) for config in configs]
        out.raw(dumps(data if report.parts else data[0]))
        return Exit.OK
    for config in configs:
        run_config_text.full(out, config, named=len(configs) > 1)
    if exit_matters(report.findings):
        count = sum(f.severity in ("error", "warning") for f in report.findings)
        line = Text(
            "errors and warnings in these files: {n} (without --show-run-config they are shown)",
            "这些文件中的错误与警告：{n}（去掉 --show-run-config 即可查看）",
        )
        out.talk(line.fill(n=count))
    return Exit.OK


def _left_to_fix(report: LintReport, *, unsafe: bool) -> Text:
    """What to say where nothing was fixed."""
    more = 0 if unsafe else sum(f.fix is not None for f in report.findings)
    if not more:
        return Text("nothing to fix", "没有可自动修复的问题")
    line = Text(
        "nothing is safe to fix; --unsafe-fixes has {n} more to look at",
        "没有可安全修复的问题；加 --unsafe-fixes 可查看另外 {n} 处",
    )
    return line.fill(n=more)


def _fix(
    out: Console, report: LintReport, *, unsafe: bool, write: bool, exit_zero: bool
) -> tuple[int, bool]:
    """(exit code, whether files were written)."""
    from medic.report.blocks import Blocks

    fix, repaired = merged_fix(report, unsafe=unsafe)
    if fix is None or fix.patch is None:
        out.talk(_left_to_fix(report, unsafe=unsafe))
        return (Exit.OK if may_launch(report) or exit_zero else Exit.FINDING), write
    if out.color or _on_terminal():
        Blocks(out).diff(fix.diff, indent="")
    else:
        out.raw(fix.diff.rstrip("\n"))  # exact bytes: tabs and line ends, so that patch takes it
    if not write:
        return (Exit.FINDING if not exit_zero else Exit.OK), False
    return _write(out, fix, repaired, report, exit_zero=exit_zero), True


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _write(
    out: Console,
    fix: Fix,
    repaired: Sequence[LintFinding],
    report: LintReport,
    *,
    exit_zero: bool,
) -> int:
    record = fix.apply()
    line = Text(
        "fixed: {names}. Take it back with: medic undo {id}",
        "已修复：{names}。撤销：medic undo {id}",
    )
    names = ", ".join(dict.fromkeys(f.name for f in repaired))
    out.talk(line.fill(names=names, id=record.id))
    rest = [f for f in report.findings if f not in repaired]
    return Exit.FINDING if exit_matters(rest) and not exit_zero else Exit.OK


def _run_again(out: Console, report: LintReport, *, unsafe: bool) -> None:
    """What waited for the fixes that were written, and has one now."""
    if left := sum(f.fix is not None and (f.fix.safe or unsafe) for f in report.findings):
        line = Text(
            "{n} more change the same places, or depend on these: run it again",
            "另有 {n} 处修复与这些改动重叠或依赖它们：请再次运行",
        )
        out.talk(line.fill(n=left))
