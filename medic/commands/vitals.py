"""medic vitals PATH: the five rows to watch while a run trains."""

from __future__ import annotations

from collections.abc import Sequence

import click

from medic.commands.given import case_of, console, knowledge
from medic.commands.options import case_options, format_options, lang_option, redact_option
from medic.errors import Exit
from medic.i18n import Text

HELP = Text(
    "Is the run all right just now? Loss falling, GPU busy, memory flat, gradient norm against its "
    "own median, no NaN or Inf: each ok, not ok or not seen, with its line. Reads only, asks "
    "nothing. Exit 0: nothing is not ok. 1: something is not ok or could not be read whole, or the "
    "run has ended badly or stands still. 2: none of the five could be seen. In a crontab: "
    "*/10 * * * * medic vitals DIR || mail ...",
    "训练现在是否正常？loss 下降、GPU 在忙、显存平稳、梯度范数与自身中位数比、无 NaN/Inf：逐项给出"
    "正常、异常或未查看，并附所依据的那一行。只读，不提问。退出码 0：没有异常；1：有异常或未能读全，或训练已"
    "异常结束、停住；2：五项都无法查看。crontab 用法：*/10 * * * * medic vitals DIR || mail ...",
)


@click.command(help=str(HELP))
@click.argument("paths", nargs=-1, required=True)
@case_options
@format_options("json")
@redact_option
@lang_option
def command(
    paths: Sequence[str],
    given: Sequence[str],
    run: str,
    this_host: bool | None,
    form: str,
    as_json: bool,
    redact: bool,
) -> int:
    from medic.report import vitals_text
    from medic.vitals import take

    out = console(redact=redact)
    index = knowledge()
    case = case_of(paths, given, run, this_host, index)
    out.aliases = case.aliases
    vitals = take(case, index)
    if as_json or form == "json":
        from medic.report.dumps import dumps

        out.raw(dumps(vitals_text.json_data(vitals)))
    else:
        vitals_text.full(out, vitals)
    if not vitals.is_ok:
        return Exit.FINDING
    return Exit.OK if vitals.is_seen else Exit.USAGE
