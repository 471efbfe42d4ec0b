"""medic schema NAME: the JSON schema of an output."""

from __future__ import annotations

import click

from medic.commands.given import console
from medic.commands.options import lang_option
from medic.errors import Exit, UsageError
from medic.i18n import Text
from medic.nearest import did_you_mean

HELP = Text(
    "Prints the JSON schema of an output. Without a name: the names.",
    "打印某种输出的 JSON Schema；不带名称则列出所有名称。",
)


@click.command(help=str(HELP))
@click.argument("name", required=False)
@lang_option
def command(name: str | None) -> int:
    from medic.report.dumps import dumps
    from medic.report.schemas import SCHEMAS

    out = console()
    if name is None:
        for known in SCHEMAS:
            out.out(known)
        return Exit.OK
    if name not in SCHEMAS:
        hint = did_you_mean(name, SCHEMAS)
        raise UsageError(f'no schema "{name}"{hint.en}', f"没有 schema “{name}”{hint.zh}")
    out.raw(dumps(SCHEMAS[name]))
    return Exit.OK
