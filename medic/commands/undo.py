"""medic undo [ID]: restores the files of an applied change byte for byte."""

from __future__ import annotations

import click

from medic.commands.given import console
from medic.commands.options import lang_option, option
from medic.errors import Exit
from medic.i18n import Text

HELP = Text(
    "Restores the files that a change touched, byte for byte. Without an ID: the newest change "
    "of files below the current folder. A file that was edited since is left alone unless --force.",
    "逐字节恢复某次修改涉及的文件。不带编号则撤销当前目录下最近的一次修改。"
    "此后又被改动过的文件不会覆盖，除非加 --force。",
)


@click.command(help=str(HELP))
@click.argument("change", required=False)
@option(
    "--list",
    "show",
    is_flag=True,
    help=Text("list the changes that can be undone", "列出可撤销的修改"),
)
@option("--force", is_flag=True, help=Text("also over later edits", "即使之后有改动也恢复"))
@lang_option
def command(change: str | None, show: bool, force: bool) -> int:
    from medic import edits
    from medic.edits import records
    from medic.text.safetext import one_line

    out = console()
    if show:
        for record in edits.changes():
            out.out(one_line(f"{record.id}  {', '.join(record.files)}"))
        return Exit.OK
    record = edits.undo(change, force=force)
    line = Text("restored: {files}", "已恢复：{files}")
    out.out(line.fill(files=", ".join(record.files)))
    for path in records.kept_of(record):
        kept = Text("what later edits wrote is kept in {path}", "之后改动的内容保存在 {path}")
        out.out(kept.fill(path=path))
    return Exit.OK
