"""medic walk NAME [FILE...]: a procedure step by step, with files made from the user's config."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from medic.commands.given import case_of, console, knowledge
from medic.commands.options import lang_option, option, set_option
from medic.entries import Experiment
from medic.errors import Exit, UsageError
from medic.i18n import Text
from medic.index.knowledge import Index
from medic.report import walk_text
from medic.report.console import Console
from medic.run_config import RunConfig
from medic.session.walk import Walk, keep, resume

if TYPE_CHECKING:
    from medic.case.collect import Case
    from medic.runner.evidence import Evidence

HELP = Text(
    "Walks a procedure step by step and remembers where it was left; without a name it lists them. "
    "Answer with a number or name, b goes back, q leaves. --outcome NAME answers without a terminal, "
    "--restart begins anew. A "
    "step that makes files takes the config and launch script as FILE and writes below --out.",
    "逐步执行一个流程，并记住进行到哪一步。输入编号或名称作答，b 返回，q 退出；不带名称则列出全部流程。"
    "无终端时用 --outcome NAME 作答，--restart 重新开始。需要生成文件的步骤以 FILE 给出配置和启动脚本，"
    "结果写到 --out 目录。",
)
ASK = Text("number, b or q: ", "编号、b 或 q：")


class Seen(NamedTuple):
    """The files that were given, and what they tell of the run."""

    case: Case
    evidence: Evidence


@click.command(help=str(HELP))
@click.argument("name", required=False)
@click.argument("files", nargs=-1)
@option("--outcome", "outcomes", multiple=True, help=Text("what came out", "本步结果"))
@option("--list", "listed", is_flag=True, help=Text("list the procedures", "列出全部流程"))
@option("--restart", is_flag=True, help=Text("from the first step", "从第一步开始"))
@option("--out", "folder", default="", help=Text("where to write files", "生成文件的目录"))
@set_option
@lang_option
def command(
    name: str | None,
    files: Sequence[str],
    outcomes: Sequence[str],
    listed: bool,
    restart: bool,
    folder: str,
    given: Sequence[str],
) -> int:
    out = console()
    index = knowledge()
    if listed or name is None:
        for one in sorted(index.procedures):
            out.out(f"{one:<32} {index.procedures[one].title}")
        return Exit.OK
    walk = resume(index, name)
    if restart:
        walk.trail.clear()
    for outcome in outcomes:
        walk.take(outcome)
    seen = _seen(index, files, given) if files else None
    framework = _framework(seen)
    walk_text.stand(out, walk, index, framework)
    if walk.step is not None and walk.step.emit:
        _emit(out, walk.step.emit, index, seen, folder)
    while walk.step is not None and _terminal() and not outcomes:
        if not _asked(out, walk):
            break
        keep(walk)
        walk_text.stand(out, walk, index, framework)
        if walk.step is not None and walk.step.emit:
            _emit(out, walk.step.emit, index, seen, folder)
    keep(walk)
    return Exit.FINDING if walk.cause else Exit.OK


def _terminal() -> bool:
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty())


def _asked(out: Console, walk: Walk) -> bool:
    """Takes one answer; False to leave."""
    try:
        answer = input(str(ASK)).strip()
    except EOFError:
        return False
    if answer == "q" or walk.step is None:
        return False
    names = list(walk.step.outcomes)
    if answer == "b":
        walk.back()
    elif answer.isdecimal() and 0 < int(answer) <= len(names):
        walk.take(names[int(answer) - 1])
    else:
        try:
            walk.take(answer)
        except UsageError as problem:
            out.talk(str(Text(problem.en, problem.zh)))
    return True


def _seen(index: Index, files: Sequence[str], given: Sequence[str]) -> Seen:
    from medic.runner.registry import all_probes
    from medic.runner.run import observe

    case = case_of(files, given)
    return Seen(case, observe(case, index, all_probes(("config", "flags"))))


def _framework(seen: Seen | None) -> str:
    """That of the run whose files were given, "" where that is not known."""
    config = seen.evidence.fact(RunConfig) if seen is not None else None
    return config.framework if config is not None else ""


def _emit(
    out: Console, experiment: Experiment, index: Index, seen: Seen | None, folder: str
) -> None:
    if seen is None:
        out.talk(
            Text(
                "Give the config and the launch script as FILE: this step makes files from them.",
                "请以 FILE 给出配置和启动脚本：本步骤会据此生成文件。",
            )
        )
        return
    from medic.experiments import make, placed, write

    scripts = [f.path for f in seen.case.files if f.kind == "script"]
    made = make(experiment, seen.evidence.facts, index, scripts)
    if folder:
        made = placed(made, Path(folder))
    written = write(made, Path(folder)) if folder else []
    walk_text.trials(out, made, written)
