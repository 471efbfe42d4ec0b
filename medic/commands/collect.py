"""medic collect [PATHS] -o bundle.tar.gz: one redacted file to hand on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from medic.commands.given import case_of, console, knowledge
from medic.commands.options import format_options, lang_option, option
from medic.errors import Exit, UsageError
from medic.i18n import Text
from medic.report.console import Console

if TYPE_CHECKING:
    from medic.bundle import Made

HELP = Text(
    "Packs what a diagnosis needs into one file: logs (long ones cut), metrics, configs, scripts, "
    "flight recorder dumps, saved stacks, and what this machine tells (nvidia-smi, limits, disks, "
    "packages). Hosts, users, addresses and keys are replaced, the same thing by the same name "
    "(best effort: read the file before you hand it on). Checkpoints and data stay out. "
    "medic diagnose FILE reads it elsewhere.",
    "把诊断所需内容打包成一个文件：日志（过长的截断）、指标、配置、脚本、flight recorder 转储、已保存"
    "的堆栈，以及本机信息（nvidia-smi、资源限制、磁盘、软件包）。主机名、用户、地址和密钥会被替换，"
    "同一内容用同一代号（尽力而为，转交前请自行查看）。不含检查点和数据。对方用 medic diagnose FILE 读取。",
)


@click.command(help=str(HELP))
@click.argument("paths", nargs=-1)
@option(
    "--output",
    "-o",
    default="",
    metavar="FILE",
    help=Text("the bundle (default: medic-DATE.tar.gz)", "输出文件（默认 medic-日期.tar.gz）"),
)
@option("--no-host", is_flag=True, help=Text("nothing of this machine", "不含本机信息"))
@option(
    "--run", default="", metavar="NAME", help=Text("which of several runs", "多次运行中选哪一个")
)
@format_options("json")
@lang_option
def command(
    paths: Sequence[str], output: str, no_host: bool, run: str, form: str, as_json: bool
) -> int:
    from medic.bundle import make

    if no_host and not paths:
        raise UsageError("give paths, or leave out --no-host", "请给出路径，或去掉 --no-host")
    out = console()
    target = output or time.strftime("medic-%Y%m%d-%H%M%S.tar.gz")
    if not target.endswith((".tar.gz", ".tgz")):
        raise UsageError("its name must end in .tar.gz", "文件名必须以 .tar.gz 结尾", at=target)
    case = case_of(paths, (), run, None, knowledge())
    made = make(case, target, with_host=not no_host)
    if as_json or form == "json":
        from medic.report.bundle_text import json_data
        from medic.report.dumps import dumps

        out.raw(dumps(json_data(made)))
    else:
        _text(out, made)
    return Exit.OK


def _text(out: Console, made: Made) -> None:
    from medic.report.bundle_text import full

    full(out, made)
