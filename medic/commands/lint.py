"""medic lint FILE…: what will fail or silently go wrong, before launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from medic.commands.given import knowledge
from medic.commands.linting import check
from medic.commands.options import (
    format_options,
    lang_option,
    option,
    redact_option,
    set_option,
)
from medic.i18n import Text

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
@option(
    "--gpu",
    metavar="NAME",
    help=Text(
        "the GPU of the run, for what it can compute and hold: V100, H100-80G",
        "训练所用的 GPU 型号，用于判断精度与显存：V100、H100-80G",
    ),
)
@format_options("json", "concise", "github", "sarif")
@option(
    "--diff",
    "show_diff",
    is_flag=True,
    help=Text("print the patch, change nothing", "只打印补丁，不改文件"),
)
@option(
    "--fix",
    "do_fix",
    is_flag=True,
    help=Text(
        "write the fixes after which the run is the one that is written down; medic undo takes "
        "them back",
        "写入不改变训练原意的修复；medic undo 可撤销",
    ),
)
@option(
    "--unsafe-fixes",
    is_flag=True,
    help=Text(
        "with --diff or --fix: also fixes that are a choice of yours, or change more than the fault",
        "与 --diff、--fix 合用：也包括需要你来取舍、或影响面更大的修复",
    ),
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
    help=Text(
        "list what could not be checked, and the file or value that would let it be",
        "列出未能检查的项目，以及补充哪个文件或取值后即可检查",
    ),
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
def command(files: Sequence[str], gpu: str | None, given: Sequence[str], **options: Any) -> int:
    if gpu:
        from medic.memory.cards import gpu_of

        gpu_of(knowledge(), gpu)  # refuses a card that is not known
    more = (f"gpu={gpu}",) if gpu else ()
    return check(files, given=(*given, *more), **options)
