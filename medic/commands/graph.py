"""medic graph [NAME]: lists, shows or exports the knowledge graph."""

from __future__ import annotations

import click

from medic.commands.given import console, knowledge
from medic.commands.options import format_options, lang_option, option
from medic.errors import Exit, UsageError
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.nearest import did_you_mean
from medic.report.console import Console

HELP = Text(
    "Lists the causes by family; with a NAME, what that entry is linked to; --json exports all of "
    "it; --check runs the lints of the knowledge and --factors prints what every link weighs.",
    "按类别列出原因；给出名称则显示该条目的关联；--json 导出全部；"
    "--check 检查知识本身，--factors 打印每条关联的实际权重。",
)
_COUNTED = ("causes", "symptoms", "checks", "remedies")
_CLEAN = Text(
    "{causes} causes, {symptoms} symptoms, {checks} checks, {remedies} remedies: clean",
    "{causes} 个原因、{symptoms} 个症状、{checks} 项检查、{remedies} 个处理办法：未发现问题",
)


@click.command(help=str(HELP))
@click.argument("name", required=False)
@format_options("json")
@option("--check", "do_check", is_flag=True, help=Text("lint the knowledge", "检查知识库"))
@option(
    "--factors",
    "do_factors",
    is_flag=True,
    help=Text("the effective factor of every link", "每条关联的实际权重"),
)
@lang_option
def command(name: str | None, form: str, as_json: bool, do_check: bool, do_factors: bool) -> int:
    from medic import graph

    out = console()
    index = knowledge()
    if as_json or form == "json":
        from medic.report.dumps import dumps

        out.raw(dumps(graph.export(index)))
        return Exit.OK
    if do_check:
        found = list(graph.defects(index))
        for defect in found:
            out.out(f"{defect.kind} {defect.name}: {defect.fault}")
        if not found:
            out.out(_CLEAN.fill({kind: len(index.raw[kind]) for kind in _COUNTED}))
        return Exit.FINDING if found else Exit.OK
    if do_factors:
        for f in graph.factors(index):
            out.out(f"{f.factor:9.3f}  {f.weight:<17} {f.check}={f.outcome} -> {f.cause}")
        return Exit.OK
    if name is None:
        _list(out, index)
    else:
        _show(out, index, name)
    return Exit.OK


def _list(out: Console, index: Index) -> None:
    from medic.graph import branches

    for family, names in branches(index).items():
        out.styled(out.style(family, "bold"))
        for name in names:
            cause = index.causes[name]
            out.out(f"  {cause.code}  {name:<34} {cause.title}")
    line = Text(
        "{causes} causes, {symptoms} symptoms, {checks} checks, {remedies} remedies",
        "{causes} 个原因，{symptoms} 个现象，{checks} 项检查，{remedies} 种处置",
    )
    counts = {
        "causes": len(index.causes),
        "symptoms": len(index.symptoms),
        "checks": len(index.checks),
        "remedies": len(index.remedies),
    }
    out.talk(line.fill(counts))


def _show(out: Console, index: Index, name: str) -> None:
    from medic.graph import around

    name = index.by_code(name) or name
    found = around(index, name)
    if not found:
        names = [
            n for kind in ("causes", "symptoms", "checks", "remedies") for n in index.raw[kind]
        ]
        hint = did_you_mean(name, names)
        raise UsageError(f'no entry "{name}"{hint.en}', f"没有条目 “{name}”{hint.zh}")
    out.styled(out.style(name, "bold") + f"  {index.title(name)}")
    for kind, rows in found.items():
        out.out(f"  {kind}")
        for node, words in sorted(rows):
            detail = words.partition(":")[2]
            title = index.title(node.partition(":")[2])
            out.out(f"    {node:<44} {detail:<24} {title}")
