"""``#SBATCH`` lines that Slurm does not read, or does not know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Repair, Respelt
from medic.i18n import Text
from medic.run_config import Edit
from medic.text.patterns import regex

from .distance import letters_apart
from .script_text import ScriptText
from .slip import Slip
from .slurm import allocation_of, asks_for_gpus

LATE, UNKNOWN = "slurm-directive-ignored", "slurm-option-unknown"
_DIRECTIVE = regex(r"^#SBATCH\s+(?:--[a-z]|-[A-Za-z])")
_OPTION = regex(r"(?<!\S)--([A-Za-z][\w-]*)(?=[=\s]|$)")
_SHORTEST = 3
_GPUS = regex(r"(?<!\S)(?:--gres(?:=|\s+)\S*gpu|--gpus(?:-per-(?:node|task|socket))?\b|-G\s*\d)")
_BEHIND = Text(
    "sbatch reads directives up to the first command (line {line}): this one is a comment{more}",
    "sbatch 只读取第一条命令（第 {line} 行）之前的指令，这一行只是注释{more}",
)
_MORE = Text(", and so are {n} more", "（另有 {n} 行同样如此）")
_NO_GPU = Text("; the directives that are read ask for no GPU", "；会被读取的指令都没有申请 GPU")
_NOTHING_MORE = Text("", "")
_NO_SUCH = Text(
    "sbatch has no option --{name}; --{meant} is meant", "sbatch 没有 --{name} 选项，应为 --{meant}"
)
_MEANT = Text("the only option that is near", "唯一相近的选项")


def late(script: ScriptText) -> Iterator[Slip]:
    """The first directive behind the first command (sbatch manual, description)."""
    first, found = 0, list[int]()
    for number, line in enumerate(script.lines, 1):
        text = line.strip()
        if first and number not in script.documents and _DIRECTIVE.match(line):
            found.append(number)
        elif not first and text and not text.startswith("#"):
            first = number
    if found:
        more = _MORE.fill(n=len(found) - 1) if len(found) > 1 else _NOTHING_MORE
        if any(_GPUS.search(script.line_text(n)) for n in found) and not asks_for_gpus(
            allocation_of(script)
        ):
            more = Text(more.en + _NO_GPU.en, more.zh + _NO_GPU.zh)
        span = script.span(found[0], 1, len(script.line_text(found[0]).rstrip()) + 1)
        yield Slip(_BEHIND.fill(line=first, more=more), span)


def unknown(script: ScriptText, options: Sequence[str]) -> Iterator[Slip]:
    """Long options that are a letter away from one; a beginning of one stands for it (getopt)."""
    known = [option.replace("_", "-") for option in options]
    for number, line in enumerate(script.lines, 1):
        if not _DIRECTIVE.match(line) or number in script.documents:
            continue
        for found in _OPTION.finditer(line.partition(" #")[0]):
            name = found[1]
            if any(one.startswith(name) for one in known):
                continue
            near = [o for o in known if len(name) > _SHORTEST and letters_apart(name, o, 1)]
            if len(near) == 1:
                span = script.span(number, found.start(1) + 1, found.end(1) + 1)
                edit = Edit(span.file, span.start, span.end, near[0])
                repair = Repair((Respelt((edit,)),), safe=False, why=_MEANT)
                yield Slip(_NO_SUCH.fill(name=name, meant=near[0]), span, repair)
