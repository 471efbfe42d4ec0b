"""medic replay [ID]: a kept consultation once more; on a terminal step by step."""

from __future__ import annotations

import sys

import click

from medic.commands.given import console
from medic.commands.options import lang_option, redact_option
from medic.errors import Exit
from medic.i18n import Text

HELP = Text(
    "Shows a kept consultation once more, as it was said. On a terminal Enter shows the next step "
    "and q leaves; else all of it.",
    "重放一个会话。终端中按回车显示下一步，q 退出；否则一次输出全部。",
)
MORE = Text("Enter: next, q: leave ", "回车：下一步，q：退出 ")


@click.command(help=str(HELP))
@click.argument("session", required=False)
@redact_option
@lang_option
def command(session: str | None, redact: bool) -> int:
    from medic.redact.whole import redacted_talk
    from medic.report.saved_text import spoken
    from medic.session.saved import chosen, talk_of

    saved = chosen(session)
    out = console(redact=redact)
    steps = bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty())
    for record in talk_of(saved.id):
        if steps and record.get("who") == "you" and not _more():
            break
        told = redacted_talk(record, out.redact) if out.redact else record
        for line in spoken(told):
            out.out(line)
    return Exit.OK


def _more() -> bool:
    try:
        return input(str(MORE)).strip().lower() not in ("q", "quit")
    except EOFError:
        return False
