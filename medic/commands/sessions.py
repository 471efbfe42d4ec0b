"""medic sessions: the consultations that are kept, the newest first."""

from __future__ import annotations

import time

import click

from medic.commands.given import console
from medic.commands.options import format_options, lang_option, redact_option
from medic.errors import Exit
from medic.i18n import Text

HELP = Text(
    "Lists the consultations that the app kept: when, what about, what came out. They lie in the "
    "state folder, readable by you only.",
    "列出应用保存的会话：时间、对象和结论。会话保存在状态目录中，仅本人可读。",
)


@click.command(help=str(HELP))
@format_options("json")
@redact_option
@lang_option
def command(form: str, as_json: bool, redact: bool) -> int:
    from medic.report.saved_text import by_minute, listing
    from medic.session.saved import listed, unreadable

    out = console(redact=redact)
    kept, broken = by_minute(listed()), unreadable()
    if as_json or form == "json":
        from medic.report.dumps import dumps

        rows = [
            {
                "id": s.id,
                "changed": time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(s.changed)),
                "root": s.folder,
                "verdict": s.verdict or None,
                "cause": s.code or None,
            }
            for s in kept
        ]
        more = {"unreadable": broken} if broken else {}
        out.raw(dumps({"schema": "medic.sessions/1", "sessions": rows, **more}))
        return Exit.OK
    for line in listing(kept, broken, out.width):
        out.out(line)
    return Exit.OK
