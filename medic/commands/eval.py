"""medic eval DIR: how often medic is right on labelled cases."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import click

from medic.commands.given import console, knowledge
from medic.commands.options import format_options, lang_option, option
from medic.errors import Exit
from medic.i18n import Text

HELP = Text(
    "Diagnoses the labelled cases of a folder (CAUSE/fires-N/, CAUSE/quiet-N/, healthy/NAME/, "
    "*.jsonl) and prints how often the right cause came first, in the top three, established, and "
    "established though wrong. Exit code 1 if any case was missed.",
    "对目录中带标注的案例（CAUSE/fires-N/、CAUSE/quiet-N/、healthy/NAME/、*.jsonl）逐个诊断，"
    "给出首位正确、前三包含、已确诊以及确诊但错误的比例。有任何一例判错则退出码为 1。",
)


@click.command(help=str(HELP))
@click.argument("folder")
@format_options("json")
@option("--misses", is_flag=True, help=Text("list the cases missed", "列出判错的案例"))
@lang_option
def command(folder: str, form: str, as_json: bool, misses: bool) -> int:
    from medic.evaluate import evaluate, read_cases
    from medic.report import eval_text

    out = console()
    index = knowledge()
    cases = read_cases(Path(folder), index)
    found = evaluate(cases, index, _progress(len(cases)))
    if as_json or form == "json":
        from medic.report.dumps import dumps

        out.raw(dumps(eval_text.as_json(found)))
    else:
        eval_text.score(out, found, misses=misses)
    return Exit.FINDING if found.misses else Exit.OK


def _progress(total: int) -> Callable[[int], None] | None:
    """A count on a terminal."""
    if not sys.stderr or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return None

    def say(number: int) -> None:
        sys.stderr.write(f"\r\x1b[K{number}/{total}" + ("\r\x1b[K" if number == total else ""))
        sys.stderr.flush()

    return say
