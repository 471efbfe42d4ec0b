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
_SHORTEST, _TWO = 3, 2
# Not in every version of sbatch, or options of srun alone: they make no beginning ambiguous.
_SOME = frozenset(
    """
    acctg-freq bbf cluster-constraint container container-id cpu-bind extra jobid label mcs-label
    network no-kill power prefer resv-ports segment share stepmgr tasks-per-node tres-bind
    tres-per-task wait-all-nodes workdir
    """.split()  # noqa: SIM905
)
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
_SEVERAL = Text(
    "sbatch has no option --{name}; --{meant} is meant, or --{other}",
    "sbatch 没有 --{name} 选项，应为 --{meant} 或 --{other}",
)
_AMBIGUOUS = Text(
    "--{name} is the beginning of several options of sbatch, which refuses it; --{meant} is meant",
    "--{name} 是 sbatch 多个选项的开头，会被拒绝；应为 --{meant}",
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
    """Long options that are a letter away from one, or the beginning of several; the beginning of
    one alone stands for it (getopt_long, which sbatch reads its options with)."""
    known = [option.replace("_", "-") for option in options]
    for number, line in enumerate(script.lines, 1):
        if not _DIRECTIVE.match(line) or number in script.documents:
            continue
        for found in _OPTION.finditer(line.partition(" #")[0]):
            told = _told(found[1], known)
            if told is not None:
                what, meant = told
                span = script.span(number, found.start(1) + 1, found.end(1) + 1)
                edit = Edit(span.file, span.start, span.end, meant)
                repair = Repair((Respelt((edit,)),), safe=False, why=_MEANT) if meant else None
                yield Slip(what, span, repair)


def _told(name: str, known: Sequence[str]) -> tuple[Text, str] | None:
    """(what is wrong with an option, the one that is meant, "" where it may be either of two)."""
    if name in known:
        return None
    begun = [one for one in known if one.startswith(name)]
    near = [one for one in known if letters_apart(name, one, 1)]
    if begun:
        meant = near[0] if len(near) == 1 and len(set(begun) - _SOME) > 1 else ""
        return (_AMBIGUOUS.fill(name=name, meant=meant), meant) if meant else None
    if len(near) == 1 and len(name) > _SHORTEST:
        return _NO_SUCH.fill(name=name, meant=near[0]), near[0]
    both = sorted(near, key=lambda one: -len(one)) if name[:1] in {one[:1] for one in near} else []
    if len(both) == _TWO:
        return _SEVERAL.fill(name=name, meant=both[0], other=both[1]), ""
    return None
