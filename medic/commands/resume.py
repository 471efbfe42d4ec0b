"""medic resume [ID]: goes on with a kept consultation."""

from __future__ import annotations

import click

from medic.case.collect import Case
from medic.commands.app import start
from medic.commands.options import lang_option, option
from medic.i18n import Text, go_on_in

HELP = Text(
    "Goes on with a kept consultation where it was left, also after a crash: what was said holds, "
    "the files are read as they are now. Without an ID the last one of this folder, else the last "
    "of all.",
    "从中断处继续一个会话（崩溃后亦可）：说过的内容仍然有效，文件按现在的内容重新读取。不带编号则继续当前目录最近的会话，没有则取全部中最近的。",
)


@click.command(help=str(HELP))
@click.argument("session", required=False)
@option("--plain", is_flag=True, help=Text("numbered lines", "编号文本行"))
@lang_option
def command(session: str | None, plain: bool) -> int:
    from medic.session.saved import chosen

    saved = chosen(session)
    go_on_in(saved.data.get("lang") or "")
    return start(Case(root=saved.root), plain=plain, resume=saved.id)
