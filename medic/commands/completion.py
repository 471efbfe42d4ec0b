"""medic completion SHELL: the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from medic.commands.given import console
from medic.commands.options import lang_option
from medic.errors import Exit, UsageError
from medic.i18n import Text

HELP = Text(
    'Prints the completion script; e.g. eval "$(medic completion bash)".',
    '打印补全脚本；例如 eval "$(medic completion bash)"。',
)


@click.command(help=str(HELP))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@lang_option
def command(shell: str) -> int:
    from medic.commands.group import medic

    found = get_completion_class(shell)
    if found is None:
        raise UsageError(f"no completion for {shell}", f"不支持 {shell} 的补全")
    console().raw(found(medic, {}, "medic", "_MEDIC_COMPLETE").source())
    return Exit.OK
