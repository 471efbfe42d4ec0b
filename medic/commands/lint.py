"""medic lint FILE…: what will fail or silently go wrong, before launch."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from medic.commands.options import (
    case_of,
    console,
    format_options,
    knowledge,
    lang_option,
    nothing_read,
    option,
    redact_option,
    set_option,
)
from medic.errors import Exit, UsageError
from medic.facts import PrintedStart
from medic.fixes import Fix
from medic.i18n import Text
from medic.ignores import silenced
from medic.index import Index
from medic.lint import (
    LintFinding,
    LintReport,
    exit_matters,
    lint,
    merged_fix,
)
from medic.report.console import Console
from medic.selection import chosen

HELP = Text(
    "Reads the files of one launch together (configs, scripts, the training script, the log of its "
    "start) and says what will fail or silently go wrong, at file:line:column, with a fix. Exit 1: "
    "an error or warning.",
    "把一次启动所用的文件（配置、启动脚本、训练脚本、启动日志）放在一起检查，指出会失败或悄悄出错之处"
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
    help=Text(
        "only these checks (names, codes, globs; commas part them)",
        "只运行这些检查（名称、编号或通配符，可用逗号分隔）",
    ),
)
@option("--ignore", multiple=True, metavar="NAME", help=Text("not these checks", "跳过这些检查"))
@option(
    "--missing",
    "show_missing",
    is_flag=True,
    help=Text("list what was not checked and what it needs", "列出未检查的项目及所需信息"),
)
@option(
    "--show-run-config",
    "show_config",
    is_flag=True,
    help=Text(
        "print every value with its origin, GB_tok, steps and tokens, instead of the findings",
        "打印每个取值及其来源，以及 GB_tok、步数和 token 数，不列出问题",
    ),
)
@option(
    "--each",
    is_flag=True,
    help=Text(
        "each file is a launch of its own (as a commit hook gives them)",
        "每个文件各自作为一次启动（如提交钩子传入的文件）",
    ),
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
    show_config: bool,
    each: bool,
    exit_zero: bool,
    redact: bool,
) -> int:
    out = console(redact=redact)
    index = knowledge()
    names = chosen(index, select, ignore)
    case = case_of(files, given)
    report = lint(case, index, names, apart=each)
    report = silenced(report, index, names, dict(case.parts), selected=bool(select))
    if not report.read and not case.text and not each:
        raise nothing_read(report)
    form = "json" if as_json else form
    if show_config:
        return _run_config(out, report, form)
    if show_diff or do_fix:
        return _fix(out, report, unsafe=unsafe_fixes, write=do_fix, exit_zero=exit_zero)
    _render(out, report, index, form)
    if show_missing and form == "text":
        _missing(out, report)
    return Exit.FINDING if exit_matters(report.findings) and not exit_zero else Exit.OK


def _render(out: Console, report: LintReport, index: Index, form: str) -> None:
    from medic.report import lint_ci, lint_text
    from medic.report.dumps import dumps

    if form == "json":
        out.raw(dumps(lint_text.json_data(report)))
    elif form == "sarif":
        out.raw(dumps(lint_ci.sarif(report, index)))
    elif form == "github":
        lint_ci.github(out, report)
    elif form == "concise":
        lint_text.concise(out, report)
    else:
        lint_text.full(out, report)


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
    return _write(out, fix, repaired, report, unsafe=unsafe, exit_zero=exit_zero)


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _write(
    out: Console,
    fix: Fix,
    repaired: Sequence[LintFinding],
    report: LintReport,
    *,
    unsafe: bool,
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
    left = sum(f.fix is not None and (f.fix.safe or unsafe) for f in rest)
    if left:
        line = Text(
            "{n} more change the same places: run it again",
            "另有 {n} 处修复与这些位置重叠：请再次运行",
        )
        out.talk(line.fill(n=left))
    return Exit.FINDING if exit_matters(rest) and not exit_zero else Exit.OK
