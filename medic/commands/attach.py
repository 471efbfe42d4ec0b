"""medic attach PID…: where every rank of a live job stands, and what that means."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from medic.attach import SAMPLES, SECONDS
from medic.commands.given import case_of, console, knowledge
from medic.commands.options import format_options, lang_option, option, redact_option
from medic.errors import Exit, UsageError
from medic.i18n import Text
from medic.report.console import Console

if TYPE_CHECKING:
    from medic.facts import Stacks

HELP = Text(
    "Looks at a running job from outside, read-only and with your consent: the Python stacks of "
    "every rank on this node (py-spy), process states, loader workers, GPU use. PID is any process "
    "of the job; its other ranks are found. Paths (the run's folder) are read beside it. Ends like "
    "diagnose. Exit 0: nothing wrong seen; 1: a finding; 2: nothing could be read.",
    "从外部查看运行中的任务，只读，且先征得同意：本节点各 rank 的 Python 堆栈（py-spy）、进程状态、"
    "数据加载 worker、GPU 使用情况。PID 为任务的任一进程，其余 rank 自动找出。可同时给出路径"
    "（运行目录）。结论与 diagnose 相同。退出码 0：未见异常；1：有发现；2：没有可读内容。",
)


@click.command(help=str(HELP))
@click.argument("targets", nargs=-1, metavar="PID|PATH...")
@option("--all", "everything", is_flag=True, help=Text("the job of this node", "本节点上的任务"))
@option("--yes", "-y", is_flag=True, help=Text("agree without being asked", "不询问，直接同意"))
@option(
    "--samples",
    type=click.IntRange(1, 60),
    default=SAMPLES,
    help=Text("looks at each process", "每个进程查看几次"),
)
@option(
    "--seconds",
    type=click.FloatRange(0, 600),
    default=SECONDS,
    help=Text("time from first to last look", "首尾两次之间的秒数"),
)
@option(
    "--output",
    "-o",
    default="",
    metavar="FILE",
    help=Text(
        "keep the look here (medic diagnose FILE reads it)",
        "保存到该文件（medic diagnose FILE 可读）",
    ),
)
@format_options("json", "markdown")
@redact_option
@lang_option
def command(
    targets: Sequence[str],
    everything: bool,
    yes: bool,
    samples: int,
    seconds: float,
    output: str,
    form: str,
    as_json: bool,
    redact: bool,
) -> int:  # fmt: skip
    from medic.attach import consent_text, files_of, plan_of, require_free, save, take

    out = console(redact=redact)
    pids, paths = _split(targets)
    if not pids and not everything:
        raise UsageError("give a process id, or --all", "请给出进程号，或使用 --all")
    require_free(output)
    plan = plan_of(() if everything else pids)
    out.talk(consent_text(plan, samples, seconds))
    if not (yes or _agrees(out)):
        return Exit.USAGE
    document = take(plan, samples=samples, seconds=seconds, say=_progress(out))
    place = save(document, output)
    kept = Text("kept: {path} (medic diagnose reads it)", "已保存：{path}（medic diagnose 可读取）")
    out.talk(kept.fill(path=place))
    return _told(out, [str(place), *paths, *files_of(document)], "json" if as_json else form)


def _told(out: Console, paths: Sequence[str], form: str) -> int:
    """The answer of diagnose, below where each rank stands."""
    from medic.commands.diagnosing import exit_code, render
    from medic.facts import Stacks
    from medic.session.consultation import Session

    index = knowledge()
    session = Session(index, case_of(paths, (), this_host=True, index=index))
    evidence = session.look()
    stacks = evidence.fact(Stacks)
    if form == "text" and stacks is not None:
        from medic.report.stacks_text import full

        full(out, stacks)
        out.out()
    if stacks is None or not _shows(stacks):
        out.talk(Text("no stack could be taken: nothing is judged", "未能取得任何堆栈，不作判断"))
        return Exit.USAGE
    found = session.diagnosis()
    render(out, session, found, form)
    return exit_code(found)


def _shows(stacks: Stacks) -> bool:
    """Whether it holds a stack, or a rank that is stopped or gone, which /proc tells without one."""
    if stacks.missing and stacks.ranks:
        return True
    return any(rank.spots or rank.states[-1:] in ("T", "Z", "X") for rank in stacks.ranks)


def _split(targets: Sequence[str]) -> tuple[list[int], list[str]]:
    """Process ids and paths. A number that names a file is an id all the same."""
    pids = [int(t) for t in targets if t.isdecimal() and len(t) < 11]
    paths = [t for t in targets if not (t.isdecimal() and len(t) < 11)]
    for path in paths:
        if not Path(path).exists():
            raise UsageError("no such process id or path", "既不是进程号也不是路径", at=path)
    return pids, paths


def _agrees(out: Console) -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            "nobody to ask here; --yes agrees to the above",
            "此处无法询问；用 --yes 表示同意以上内容",
        )
    out.talk(Text("Go on? [y/N]", "继续吗？[y/N]"))
    return sys.stdin.readline().strip().lower() in ("y", "yes", "是", "好")


def _progress(out: Console):  # type: ignore[no-untyped-def]
    if not sys.stderr or not sys.stderr.isatty():
        return lambda _: None
    return lambda words: out.talk(Text(f"look {words}", f"查看 {words}"))
