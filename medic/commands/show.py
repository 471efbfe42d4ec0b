"""medic show [ID]: a kept consultation as Markdown, for a ticket or the next shift."""

from __future__ import annotations

import click

from medic.commands.given import console
from medic.commands.options import lang_option, redact_option
from medic.errors import Exit
from medic.i18n import Text

HELP = Text(
    "Prints a kept consultation as Markdown: where the case stands, the evidence, what was ruled "
    "out and by what, what is open, then the whole talk with its changes. Without an ID the last "
    "one of this folder, else the last of all.",
    "以 Markdown 输出一个会话：当前结论、证据、排除项及依据、未查内容，以及完整对话和修改。"
    "不带编号则输出当前目录最近的会话，没有则取全部中最近的。",
)


@click.command(help=str(HELP))
@click.argument("session", required=False)
@redact_option
@lang_option
def command(session: str | None, redact: bool) -> int:
    from medic.redact.whole import redacted, redacted_talk
    from medic.report.saved_text import markdown
    from medic.session.saved import chosen, talk_of

    saved = chosen(session)
    out = console(redact=redact)
    talk = list(talk_of(saved.id))
    if out.redact:
        saved = redacted(saved, out.redact)
        talk = [redacted_talk(record, out.redact) for record in talk]
    for line in markdown(saved, talk):
        out.out(line)
    return Exit.OK
