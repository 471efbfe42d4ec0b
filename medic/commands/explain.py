"""medic explain WORDS: what an error, a symptom or a name means."""

from __future__ import annotations

from collections.abc import Sequence

import click

from medic.commands.explaining import explain
from medic.commands.options import format_options, lang_option
from medic.i18n import Text

HELP = Text(
    "Explains an error line, a description, a name or a code: causes in order, how to tell them "
    "apart, what to do and what not. Without words: a table by family.",
    "解释一条报错、一段描述、一个名称或编号：按可能性排列的原因、如何区分、该做什么、不该做什么。"
    "不带参数则按类别列出全部原因。",
)


@click.command(help=str(HELP))
@click.argument("words", nargs=-1)
@format_options("json")
@lang_option
def command(words: Sequence[str], form: str, as_json: bool) -> int:
    return explain(words, as_json=as_json or form == "json")
