"""medic memory CONFIG…: peak GPU memory before launch, and what would make it fit."""

from __future__ import annotations

from collections.abc import Sequence

import click

from medic.commands.options import format_options, lang_option, option, redact_option, set_option
from medic.i18n import Text

HELP = Text(
    "Computes the peak GPU memory of one training step from the configs of a launch: where the "
    "bytes go, the range, what was assumed, whether the GPU takes it and the cheapest change that "
    "makes it fit. The model comes from its config.json, the config's sizes or --model. Exit 1: "
    "it will not fit; exit 2: not even a lower bound can be said.",
    "根据一次启动的配置计算单个训练步的显存峰值：显存去向、上下限、所作假定、显卡能否放下，以及代价最小的"
    "修改。模型尺寸取自其 config.json、配置本身或 --model。放不下时退出码为 1，"
    "连下限也无法估计时为 2。",
)


@click.command(help=str(HELP))
@click.argument("files", nargs=-1)
@set_option
@option(
    "--gpu",
    default="",
    metavar="NAME|SIZE|live",
    help=Text(
        "the GPU, e.g. h100-80g, a100, 4xA100-80G, 80GiB; live: this machine's",
        "显卡，如 h100-80g、a100、4xA100-80G、80GiB；live 表示本机显卡",
    ),
)
@option(
    "--model",
    default="",
    metavar="NAME",
    help=Text("an open model, e.g. llama-3-8b, qwen3-4b", "开源模型，如 llama-3-8b、qwen3-4b"),
)
@option(
    "--max-micro-batch",
    is_flag=True,
    help=Text("the largest micro batch that fits", "求放得下的最大微批次"),
)
@option(
    "--max-seq",
    is_flag=True,
    help=Text("the longest sequence that fits", "求放得下的最长序列"),
)
@format_options("json")
@redact_option
@lang_option
def command(
    files: Sequence[str],
    given: Sequence[str],
    gpu: str,
    model: str,
    max_micro_batch: bool,
    max_seq: bool,
    form: str,
    as_json: bool,
    redact: bool,
) -> int:
    from medic.commands.estimating import asked, show

    return show(
        files,
        given,
        gpu=gpu,
        model=model,
        inverse=asked(max_micro_batch, max_seq),
        as_json=as_json or form == "json",
        redact=redact,
    )
