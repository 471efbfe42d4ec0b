"""medic preflight LAUNCH [CONFIG…]: lint, and whether this node has what the launch asks for."""

from __future__ import annotations

import platform
from collections.abc import Sequence

import click

from medic.commands.given import case_of, console, knowledge, nothing_read
from medic.commands.named_files import with_named
from medic.commands.options import format_options, lang_option, option, redact_option, set_option
from medic.errors import Exit
from medic.i18n import Text
from medic.lint.files import launches_of, lint
from medic.lint.found import may_launch
from medic.lint.ignores import silenced
from medic.lint.selection import chosen
from medic.preflight import look_at
from medic.text.safetext import one_line

HELP = Text(
    "Before a launch, on the node that it starts on: lints the launch script and its configs, then "
    "looks at GPUs, driver, ports, interfaces, /dev/shm, limits, disk, compiler, environment "
    "variables and data paths. Reads only. Exit 1: something is not ok.",
    "启动前在启动节点上运行：先检查启动脚本与配置，再查看 GPU、驱动、端口、网卡、/dev/shm、资源限制、"
    "磁盘、编译器、环境变量与数据路径。只读不写。有异常时退出码为 1。",
)


@click.command(help=str(HELP))
@click.argument("files", nargs=-1, required=True)
@set_option
@format_options("json")
@option("--ignore", multiple=True, metavar="NAME", help=Text("not these checks", "跳过这些检查"))
@option("--exit-zero", is_flag=True, help=Text("exit 0 even with a finding", "有发现时也返回 0"))
@redact_option
@lang_option
def command(
    files: Sequence[str],
    given: Sequence[str],
    form: str,
    as_json: bool,
    ignore: Sequence[str],
    exit_zero: bool,
    redact: bool,
) -> int:
    out = console(redact=redact)
    index = knowledge()
    names = chosen(index, (), ignore)
    case = case_of(files, given)
    case, named = with_named(case, launches_of(case, index))
    report = silenced(lint(case, index, names), index, names, dict(case.parts))
    if not report.read and not case.text:
        raise nothing_read(report)
    found = look_at(case, index)
    from medic.report import preflight_text

    if as_json or form == "json":
        from medic.report.dumps import dumps

        out.raw(dumps(preflight_text.json_data(report, found, platform.node())))
    else:
        if named:
            line = Text("also read, as the command names it: {f}", "命令中引用、一并读取：{f}")
            out.talk(line.fill(f=", ".join(map(one_line, named))))
        preflight_text.full(out, report, found)
    wrong = not (may_launch(report) and found.is_ok)
    return Exit.FINDING if wrong and not exit_zero else Exit.OK
