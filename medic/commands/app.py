"""medic [PATH]: the consultation in the terminal app, or as numbered lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from medic.case.collect import Case
from medic.commands.given import case_of, knowledge_of_the_app
from medic.commands.options import case_options, lang_option, option
from medic.i18n import Text

HELP = Text(
    "Opens the chat-style app on a run (default: the current folder). Not a terminal, or --plain: "
    "the same session as numbered lines.",
    "在对话式应用中打开一次运行（默认当前目录）。非终端或加 --plain 时，以编号文本行进行同样的会话。",
)


@click.command(help=str(HELP))
@click.argument("paths", nargs=-1)
@case_options
@option(
    "--plain",
    is_flag=True,
    help=Text("numbered lines instead of the app", "使用编号文本行而非全屏应用"),
)
@lang_option
def command(
    paths: Sequence[str],
    given: Sequence[str] = (),
    run: str = "",
    this_host: bool | None = None,
    plain: bool = False,
) -> int:
    if _is_here(paths) and not run:
        case = _folder(".", given, this_host)
    elif len(paths) == 1 and all(paths) and Path(paths[0]).is_dir() and not run:
        case = _folder(paths[0], given, this_host)
    else:
        case = case_of(list(paths), given, run, this_host)
    return start(case, plain=plain, which=len(case.runs) > 1 and not run)


def _is_here(paths: Sequence[str]) -> bool:
    return all(paths) and [Path(p).absolute() for p in paths or ["."]] == [Path.cwd()]


def _folder(path: str, given: Sequence[str], this_host: bool | None) -> Case:
    """A folder that is talked about; an empty one is no error, the user may paste."""
    from medic.case.collect import Case, collect
    from medic.errors import UsageError
    from medic.told.given import parse_given

    values = parse_given(given)
    try:
        return collect([path], given=values, this_host=this_host)
    except UsageError:
        return Case(root=path, paths=(path,), given=values, this_host=this_host)


def start(
    case: Case,
    *,
    plain: bool = False,
    demo: bool = False,
    which: bool = False,
    resume: str = "",
) -> int:
    """The app on a terminal, else numbered lines.

    ``demo``: the run is the embedded one; ``which``: of several runs none was chosen; ``resume``:
    the id of a kept session to go on with.
    """
    if plain or not interactive():
        from medic.commands.plain import consult

        ask = sys.stdin.isatty() or not demo
        return consult(case, ask=ask, demo=demo, which=which, resume=resume)
    run = import_module("medic.tui.app").run
    return int(run(knowledge_of_the_app, case, demo=demo, which=which, resume=resume))


def interactive() -> bool:
    """Whether there is a screen to draw on: a terminal, or a page of ``medic serve``."""
    if os.environ.get("TEXTUAL_DRIVER", "").endswith("WebDriver"):
        return True
    return (
        sys.stdin.isatty()
        and sys.stdout.isatty()
        and os.environ.get("TERM", "") not in ("", "dumb")
    )
