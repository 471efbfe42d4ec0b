"""medic lint FILE…: what will fail or silently go wrong, before launch."""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Sequence

import click

from medic.commands.options import (
    case_of,
    console,
    format_options,
    knowledge,
    lang_option,
    option,
    redact_option,
    set_option,
)
from medic.errors import Exit, UsageError
from medic.fixes import Fix
from medic.i18n import Text
from medic.index import Index
from medic.lint import LintFinding, LintReport, exit_matters, lint, merged_fix
from medic.nearest import did_you_mean
from medic.report.console import Console

HELP = Text(
    "Reads the files of one launch together (configs, scripts, the training script) and says what "
    "will fail or silently go wrong, at file:line:column, with a fix. Exit 1: an error or warning.",
    "把一次启动所用的文件（配置、启动脚本、训练脚本）放在一起检查，指出会失败或悄悄出错之处"
    "（文件：行：列）并给出修复。有错误或警告时退出码为 1。",
)


@click.command(help=str(HELP))
@click.argument("files", nargs=-1, required=True)
@set_option
@format_options("json", "concise", "github", "sarif")
@option(
    "--diff",
    "show_diff",
    is_flag=True,
    help=Text("print the patch, change nothing", "只打印补丁，不改文件"),
)
@option("--fix", "do_fix", is_flag=True, help=Text("write the safe fixes", "写入安全的修复"))
@option(
    "--unsafe-fixes",
    is_flag=True,
    help=Text("include fixes that change more than the fault", "也包括影响面更大的修复"),
)
@option(
    "--select",
    multiple=True,
    metavar="NAME",
    help=Text("only these checks (name, code, glob)", "只运行这些检查（名称、编号或通配符）"),
)
@option("--ignore", multiple=True, metavar="NAME", help=Text("not these checks", "跳过这些检查"))
@option(
    "--missing",
    "show_missing",
    is_flag=True,
    help=Text("list what was not checked and what it needs", "列出未检查的项目及所需信息"),
)
@option("--exit-zero", is_flag=True, help=Text("exit 0 even with a finding", "有发现时也返回 0"))
@redact_option
@lang_option
def command(
    files: Sequence[str],
    given: Sequence[str],
    form: str,
    as_json: bool,
    show_diff: bool,
    do_fix: bool,
    unsafe_fixes: bool,
    select: Sequence[str],
    ignore: Sequence[str],
    show_missing: bool,
    exit_zero: bool,
    redact: bool,
) -> int:
    out = console(redact=redact)
    index = knowledge()
    names = _chosen(index, select, ignore)
    case = case_of(files, given)
    report = lint(case, index, names)
    if not report.read and not case.text:
        why = report.not_read[0] if report.not_read else None
        raise UsageError(
            f"no file could be read{': ' + why.en if why else ''}",
            f"没有可读取的文件{':' + why.zh if why else ''}",
            at=why.file if why else "",
        )
    form = "json" if as_json else form
    if show_diff or do_fix:
        return _fix(out, report, unsafe=unsafe_fixes, write=do_fix, exit_zero=exit_zero)
    _render(out, report, index, form)
    if show_missing and form == "text":
        _missing(out, report)
    return Exit.FINDING if exit_matters(report.findings) and not exit_zero else Exit.OK


def _render(out: Console, report: LintReport, index: Index, form: str) -> None:
    from medic.report import lint_text
    from medic.report.dumps import dumps

    if form == "json":
        out.raw(dumps(lint_text.json_data(report)))
    elif form == "sarif":
        out.raw(dumps(lint_text.sarif(report, index)))
    elif form == "github":
        lint_text.github(out, report)
    elif form == "concise":
        lint_text.concise(out, report)
    else:
        lint_text.full(out, report)


def _missing(out: Console, report: LintReport) -> None:
    from medic.report import lint_text

    lint_text.missing(out, report)


def _chosen(index: Index, select: Sequence[str], ignore: Sequence[str]) -> frozenset[str] | None:
    if not select and not ignore:
        return None
    chosen = set(index.lint_names) if not select else set()
    for word in select:
        chosen |= _named(index, word)
    for word in ignore:
        chosen -= _named(index, word)
    return frozenset(chosen)


def _named(index: Index, word: str) -> set[str]:
    """Checks of a name, code or glob. Raises UsageError with the nearest name."""
    found = {
        name
        for name in index.lint_names
        if fnmatch.fnmatch(name, word) or fnmatch.fnmatch(index.causes[name].code, word.upper())
    }
    if not found:
        hint = did_you_mean(word, sorted(index.lint_names))
        raise UsageError(f'no check named "{word}"{hint.en}', f"没有名为 “{word}” 的检查{hint.zh}")
    return found


def _fix(out: Console, report: LintReport, *, unsafe: bool, write: bool, exit_zero: bool) -> int:
    from medic.report.blocks import Blocks

    fix, repaired = merged_fix(report, unsafe=unsafe)
    if fix is None or fix.patch is None:
        out.talk(Text("nothing to fix", "没有可自动修复的问题"))
        return Exit.FINDING if exit_matters(report.findings) and not exit_zero else Exit.OK
    if out.color or _on_terminal():
        Blocks(out).diff(fix.diff, indent="")
    else:
        out.raw(fix.diff.rstrip("\n"))  # exact bytes: tabs and line ends, so that patch takes it
    if not write:
        return Exit.FINDING if not exit_zero else Exit.OK
    return _write(out, fix, repaired, report, exit_zero=exit_zero)


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _write(
    out: Console, fix: Fix, repaired: Sequence[LintFinding], report: LintReport, *, exit_zero: bool
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
