"""medic explain WORDS: what an error, a symptom or a name means."""

from __future__ import annotations

from collections.abc import Sequence

import click

from medic.commands.explaining import explain, listing
from medic.commands.options import format_options, lang_option
from medic.i18n import Text

HELP = Text(
    "Explains an error line, a description, a name or a code: causes in order, how to tell them "
    "apart, what to do and what not. Without words: a table by family.",
    "解释一条报错、一段描述、一个名称或编号：按可能性排列的原因、如何区分、该做什么、不该做什么。"
    "不带参数则按类别列出全部原因。",
)

LIST = Text("Every entry by kind.", "按种类列出全部条目。")
WHOLE = Text(
    "Every cause of a symptom, not only the most common.",
    "列出该症状的全部原因，而不只是最常见的。",
)
FAMILY = Text("The causes of one family.", "只列出某一类别的原因。")


# A name that begins with dashes is asked about: --micro-batch-size, exitcode -7.
@click.command(help=str(HELP), context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1)
@click.option("--list", "everything", is_flag=True, help=str(LIST))
@click.option("--family", default="", metavar="NAME", help=str(FAMILY))
@click.option("--all", "whole", is_flag=True, help=str(WHOLE))
@format_options("json")
@lang_option
def command(
    words: Sequence[str], everything: bool, family: str, whole: bool, form: str, as_json: bool
) -> int:
    as_json = as_json or form == "json"
    if everything or family:
        return listing(family=family, as_json=as_json)
    return explain(words, as_json=as_json, whole=whole)
