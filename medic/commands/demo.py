"""medic demo: the main job on an embedded broken run."""

from __future__ import annotations

import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

import click

from medic.case.collect import collect
from medic.commands.app import start
from medic.commands.options import lang_option, option
from medic.errors import Exit
from medic.i18n import Text

HELP = Text(
    "Diagnoses a small broken run that ships with medic, in a temporary copy: the app on a "
    "terminal, plain text otherwise.",
    "诊断随 medic 附带的一个小型故障运行（在临时副本中进行）：终端中打开应用，否则输出纯文本。",
)


@click.command(help=str(HELP))
@option("--plain", is_flag=True, help=Text("text instead of the app", "输出文本而非打开应用"))
@lang_option
def command(plain: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="medic-demo-") as folder:
        run = Path(folder) / "run"
        with as_file(files("medic.knowledge") / "demo") as source:
            shutil.copytree(source, run)
        start(collect([str(run)]), plain=plain, demo=True)
    return Exit.OK
