"""Commands of launchers that start nothing: no script is given, or its options are the launcher's."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Command, Document
from medic.i18n import Text
from medic.text.patterns import regex

from .arguments import VALUE, Fault
from .cuts import cuts
from .launchers import LAUNCHER_OPTIONS, LAUNCHERS
from .script_text import ScriptText

_PASTED = regex(r"<(?:pasted )?command\d*>$")
_MODULES = frozenset(("m", "module", "no-python", "h", "help"))
_OPTION = regex(r"--?[A-Za-z][\w-]*(?:=.*)?")
# accelerate/commands/launch.py: training_script is a positional argument without a default.
_NO_SCRIPT = Text(
    "accelerate launch is given no script: it stops with 'the following arguments are required: "
    "training_script'",
    "accelerate launch 没有给出脚本：会报“the following arguments are required: training_script”并退出",
)
# dashboard/modules/job/cli.py: a command of click, which takes options wherever they stand.
_TAKEN = Text(
    "{flag} is read as an option of ray job submit, which has none of this name: the command stands behind --",
    "{flag} 会被当作 ray job submit 自己的选项，而它没有这个选项：要运行的命令应写在 -- 之后",
)
_PYTHON = regex(r"python[\d.]*|bash|torchrun")
_OF_RAY = frozenset(
    """
    --address --submission-id --job-id --runtime-env --runtime-env-json --working-dir --metadata
    --metadata-json --entrypoint-num-cpus --entrypoint-num-gpus --entrypoint-memory
    --entrypoint-resources --entrypoint-label-selector --no-wait --verify --headers --log-style
    --log-color --verbose -v
    """.split()  # noqa: SIM905
)


def launchless(script: ScriptText, document: Document) -> Iterator[Fault]:
    """Only of commands that are written out, whole: a variable may hold anything."""
    if _PASTED.search(script.name):
        return
    cut = {one.line for one in cuts(script, document)}  # told as that
    for command in document.commands:
        if any(command.span.line <= line <= command.span.end_line for line in cut):
            continue
        texts = [word.value for word in command.words]
        if texts[:2] == ["accelerate", "launch"]:
            yield from _no_script(command)
        elif texts[:3] == ["ray", "job", "submit"]:
            yield from _no_dashes(command)


def _no_script(command: Command) -> Iterator[Fault]:
    """Where every word is an option that is known, or what the one before it takes."""
    takes = False
    for word in command.words[2:]:
        name, sign, _ = (word.value or "").partition("=")
        plain = name.lstrip("-").replace("_", "-")
        known = LAUNCHER_OPTIONS["accelerate"] if name.startswith("--") and plain else ()
        meant = [one for one in known if one.startswith(plain)]  # argparse takes a beginning, too
        if word.value is None or plain in _MODULES or not (meant or takes):
            return
        alone = {f"--{one}" for one in meant} & LAUNCHERS["accelerate"].flags
        takes = bool(meant) and not sign and not alone
    yield Fault(VALUE, _NO_SCRIPT, command.words[1].span, "launch")


def _no_dashes(command: Command) -> Iterator[Fault]:
    program = False
    for word in command.words[3:]:
        text = word.value or ""
        if text == "--":
            return
        program = program or _PYTHON.fullmatch(text) is not None
        flag = text.partition("=")[0]
        option = program and _OPTION.fullmatch(text) is not None
        if option and not any(one.startswith(flag) for one in _OF_RAY):
            yield Fault(VALUE, _TAKEN.fill(flag=flag), word.literal or word.span, flag)
            return
