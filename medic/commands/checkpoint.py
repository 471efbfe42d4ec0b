"""medic checkpoint diff A B; medic checkpoint remap IN OUT."""

from __future__ import annotations

import threading
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from medic.commands.given import console, knowledge
from medic.commands.options import format_options, lang_option, option
from medic.errors import Exit, Unreadable, UsageError
from medic.i18n import Text

HELP = Text(
    "Checkpoints read from their headers: nothing is loaded, unpickled or run.",
    "只读文件头的检查点操作：不加载、不反序列化、不执行任何代码。",
)
DIFF = Text(
    "What differs between two checkpoints (files or folders): names, shapes, dtypes, states, and "
    "the renaming that makes them agree. Exit 1: they differ.",
    "两个检查点（文件或目录）的差异：参数名、形状、类型、其他状态，以及使其一致的改名。有差异时退出码为 1。",
)
REMAP = Text(
    "Writes a renamed copy of a checkpoint as one safetensors file. With --like OTHER: the names of "
    "OTHER, with fused projections split or joined where names, shapes and the config.json beside "
    "them prove it. With --strip or --add: that start. With neither: the parts that wrappers add "
    "(module., _orig_mod., …) go. "
    "OUT must not exist; --dry-run shows the plan only. Exit 1: something could not be mapped.",
    "把检查点改名后另存为一个 safetensors 文件。--like OTHER：按 OTHER 的参数名，并在名称、形状和同目录的 config.json "
    "可证明时拆分或合并融合权重；--strip、--add：去掉或加上前缀；都不给：去掉包装器加的部分（module.、_orig_mod. 等）。"
    "OUT 不能已存在；--dry-run 只显示计划。有无法对应的张量时退出码为 1。",
)


@click.group(help=str(HELP))
def command() -> None:
    """The group; its commands do the work."""


@command.command("diff", help=str(DIFF))
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@format_options("json")
@lang_option
def diff(first: str, second: str, form: str, as_json: bool) -> int:
    from medic.report import checkpoint_text

    found = _read("diffing", "diff", _look(), _unit(first), _unit(second))
    out = console()
    if as_json or form == "json":
        out.raw(checkpoint_text.diff_json(found))
    else:
        for row in checkpoint_text.diff_lines(found):
            out.out(row)
    gone = found.first.missing_shards or found.second.missing_shards
    same = found.comparison.outcome == "same" and not found.dtypes and not gone
    return Exit.OK if same else Exit.FINDING


@command.command("remap", help=str(REMAP))
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("to", metavar="OUT", type=click.Path())
@option(
    "--like",
    type=click.Path(),
    metavar="OTHER",
    help=Text("a checkpoint whose names and shapes are wanted", "以此检查点的参数名和形状为目标"),
)
@option("--strip", default="", help=Text("a start to take off", "要去掉的前缀"))
@option("--add", default="", help=Text("a start to put on", "要加上的前缀"))
@option(
    "--in-order",
    is_flag=True,
    help=Text(
        "the rows of fused q, k and v follow one another: you say so",
        "融合权重中 q、k、v 的行依次排列：由你保证",
    ),
)
@option(
    "--dry-run", is_flag=True, help=Text("show the plan, write nothing", "只显示计划，不写文件")
)
@format_options("json")
@lang_option
def remap(
    source: str,
    to: str,
    like: str | None,
    strip: str,
    add: str,
    in_order: bool,
    dry_run: bool,
    form: str,
    as_json: bool,
) -> int:
    from medic.report import checkpoint_text

    if like and (strip or add):
        raise UsageError("--like works out the names itself", "--like 会自行推出参数名")
    if in_order and not like:
        raise UsageError("--in-order belongs to --like", "--in-order 须与 --like 一起使用")
    if not to.endswith(".safetensors"):
        raise UsageError("OUT must end with .safetensors", "OUT 须以 .safetensors 结尾", at=to)
    writing = import_module("medic.probes.checkpoint.writing")
    writing.refuse_existing(Path(to))
    plan = _plan(source, like, strip, add, in_order)
    out = console()
    machine = as_json or form == "json"
    for row in () if machine else checkpoint_text.plan_lines(plan, source, to):
        out.out(row)
    if not plan.outputs:
        raise UsageError("nothing can be mapped: nothing is written", "没有可对应的张量：未写文件")
    written = 0
    if not dry_run:
        written = writing.write(plan, to)
        if not machine:
            done = Text("written: {file}, {bytes} bytes", "已写入：{file}，{bytes} 字节")
            out.out(done.fill(file=to, bytes=f"{written:,}"))
    if machine:
        out.raw(checkpoint_text.plan_json(plan, to, written))
    return Exit.FINDING if plan.missing or (plan.left_out and not like) else Exit.OK


def _plan(source: str, like: str | None, strip: str, add: str, in_order: bool) -> Any:
    planning = import_module("medic.probes.checkpoint.remap")
    have = _read("located", "locate", _look(), _unit(source))
    files = dict.fromkeys(one.file for one in have.values() if one.file)
    kept, parted = _read("located", "metadata", _look(), files)
    if like is None:
        planning.refuse_useless(have, strip)
        plan = planning.by_rule(have, strip, add)
    else:
        plan = _like(planning, have, source, like, in_order)
    return planning.with_metadata(plan, kept, parted)


def _like(planning: Any, have: Any, source: str, like: str, in_order: bool) -> Any:
    """The plan by another checkpoint, without what the headers say beside the tensors."""
    reader = import_module("medic.probes.checkpoint.reader")
    orders = import_module("medic.probes.checkpoint.row_orders")
    unit, look = _unit(like), _look()
    try:
        other = reader.Reader(look).read(unit)
    except Unreadable as problem:
        raise UsageError(problem.en, problem.zh, at=problem.at or unit.name) from None
    if other.part is not None:
        raise UsageError(other.part.en, other.part.zh, at=unit.name)
    order = orders.told_by_user if in_order else orders.orders_of
    told = order(look, _unit(source), unit)
    return planning.by_model(have, {n: t.shape for n, t in other.tensors.items()}, told)


def _read(module: str, name: str, look: Any, *units: Any) -> Any:
    """Calls a reader; what cannot be read is a wrong use here. Raises UsageError.

    The reader says which of several ``units`` cannot be read.
    """
    function = getattr(import_module(f"medic.probes.checkpoint.{module}"), name)
    try:
        return function(look, *units)
    except Unreadable as problem:
        at = problem.at or units[0].name
        raise UsageError(problem.en, problem.zh, at=at) from None


def _look() -> Any:
    from medic.case.collect import Case
    from medic.runner.look import CaseLook

    return CaseLook(Case(), knowledge(), {}, threading.Event())


def _unit(path: str) -> Any:
    """The checkpoint of a file or a folder. Raises UsageError if there is none."""
    from medic.case.collect import collect

    case = collect([path])
    unit = import_module("medic.probes.checkpoint.diffing").unit_of(case.files)
    if unit is None:
        raise UsageError("no checkpoint here", "此处没有检查点", at=path)
    return unit
