"""medic diagnose PATH|-: the cause, the evidence, the change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from medic.commands.diagnosing import diagnose
from medic.commands.options import case_options, format_options, lang_option, option, redact_option
from medic.i18n import Text

HELP = Text(
    "Reads a run's folder, files, or text pasted on standard input (-), and names the cause with "
    "its evidence and the change to make. Exit 0: nothing wrong found; 1: a finding; 2: nothing "
    "readable.",
    "读取一次运行的目录、文件，或从标准输入粘贴的文本（-），给出原因、证据和应做的修改。"
    "退出码 0：未发现问题；1：有发现；2：没有可读内容。",
)


@click.command(help=str(HELP))
@click.argument("paths", nargs=-1, required=True)
@case_options
@format_options("json", "markdown")
@option(
    "--answer",
    "answers",
    multiple=True,
    metavar="CHECK=OUTCOME",
    help=Text("an answer to a question that medic asked", "回答 medic 提出的问题"),
)
@option(
    "--baseline",
    default="",
    metavar="PATH",
    help=Text("a run that worked: what differs from it", "一次正常的运行：列出与它的差异"),
)
@option("--say", default="", help=Text("what you see, in your own words", "用自己的话描述现象"))
@option("--numbers", is_flag=True, help=Text("chances as numbers", "以数字显示概率"))
@option("--exit-zero", is_flag=True, help=Text("exit 0 even with a finding", "有发现时也返回 0"))
@redact_option
@lang_option
def command(paths: Sequence[str], **options: Any) -> int:
    return diagnose(paths, **options)
