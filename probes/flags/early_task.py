"""A task's own rank that the batch script fills in itself: ``srun bash -c "RANK=$SLURM_PROCID …"``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from medic.facts import Command, Document
from medic.i18n import Text
from medic.text.patterns import regex

from .launchers import ALIASES
from .script_text import ScriptText
from .slip import Slip, replaced
from .slurm import allocation_of

# A variable, or a flag, that is to be another one in each task. Flags of nodes are told with their job.
_EACH = regex(
    r"(?<![\w-])((?:[A-Z]+_)*(?:RANK|PROC_?ID|LOCAL_?ID)=|--(?:global[_-]|local[_-])?rank[= ])[\"']?"
    r"(?<!\\)(\$\{?(SLURM_(?:PROCID|LOCALID|NODEID))\b(?![:-])\}?)"
)
_TASKS = regex(r"^(?:-n|-N|--ntasks|--nodes|--ntasks-per-node)=?(\d+)?$")
_WHAT = Text(
    "the batch script itself fills in ${variable}, which is 0 there: {name} is 0 in every task; a "
    "backslash before $, or bash -c '…', leaves it to the tasks",
    "${variable} 由批处理脚本自身展开，其值为 0：每个任务的 {name} 都是 0；在 $ 前加反斜杠，"
    "或写成 bash -c '…'，才会由各任务展开",
)


def early_tasks(script: ScriptText, document: Document) -> Iterator[Slip]:
    """Only where the job has several tasks. The batch script is task 0 of node 0 (sbatch manual,
    output environment variables), and double quotes fill in what stands between them."""
    if "#SBATCH" not in script.text or "SLURM_" not in script.text:
        return
    for command in document.commands:
        if not _of_tasks(command) or not _several(script, command):
            continue
        for number in range(command.span.line, command.span.end_line + 1):
            text = script.line_text(number)
            for found in _EACH.finditer(text):
                column = found.start(2) + 1
                escaped = text[: found.start(2)].endswith("\\")
                if not escaped and script.quote_at(number, column) == '"':
                    name = found[1].strip("= ")
                    span = script.between(number, found.span(2))
                    what = _WHAT.fill(variable=found[3], name=name)
                    yield Slip(what, span, replaced(span, f"\\{found[2]}"))


def _of_tasks(command: Command) -> bool:
    """Whether it is what ``srun … bash -c`` runs."""
    words = [PurePosixPath(word.value).name for word in command.words[:24] if word.value]
    shells = (ALIASES.get(word, word) == "bash" for word in words)
    return bool(words) and words[0] == "srun" and any(shells)


def _several(script: ScriptText, command: Command) -> bool:
    """Whether the job, or the step, is known to have more than one task."""
    own = [word.value or "" for word in command.words[:24]]
    asked = [_TASKS.match(word) for word in own]
    for at, found in enumerate(asked):
        number = found and (found[1] or (own[at + 1] if at + 1 < len(own) else ""))
        if number and number.isdecimal():
            return int(number) > 1
    job = allocation_of(script)
    names = ("nodes", "ntasks", "ntasks-per-node")
    return any((job.number(name) or 1) > 1 for name in names)
