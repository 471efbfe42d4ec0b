"""Commands in one line that nothing parts: ``cd src torchrun train.py``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Command, Document, Repair, Respelt, Word
from medic.i18n import Text
from medic.run_config import Edit, Span
from medic.text.patterns import regex

from .launch import program_name
from .launchers import FRAMEWORKS, LAUNCHERS, PYTHON
from .masked import numbered
from .script_text import ScriptText
from .slip import WHY, Slip

_SETS = regex(r"[A-Za-z_]\w*=.*")
_ENVIRONMENT = regex(r"(?:^|/)activate$|\.(?:bashrc|env|profile)$")
# How many words each takes at most; none of them starts what stands behind.
_TAKES = {"cd": 1, "pushd": 1, "ulimit": 2, "sleep": 1}
_ANY = frozenset(("mkdir", "unset"))  # as many as there are
_EXPORT = regex(r"^\s*(export)(?:\s+[A-Za-z_]\w*=[^\s;&|#]+)+\s+([\w./-]+)\s+([^\s;&|]+)")
_SUBCOMMANDS = {"conda": "activate", "mamba": "activate", "module": "load"}

_NO_AND = Text(
    "no && or ; stands before {program}: {tool} takes it for an argument, and it does not start",
    "{program} 之前没有 && 或 ;：{tool} 会把它当作参数，{program} 不会启动",
)


def run_together(command: Command) -> Iterator[Slip]:
    """A tool that changes the shell or a folder, and behind its arguments a program."""
    words = command.words
    first = _earliest(words)
    for at in range(first, len(words) - 1) if first else ():
        if _starts(words, at):
            before = at
            while before - 1 >= first and _SETS.fullmatch(words[before - 1].raw):
                before -= 1
            yield _slip(words[0].raw, program_name(words[at]), words[at].span, words[before].span)
            return


def exported(script: ScriptText, document: Document) -> Iterator[Slip]:
    """The same of ``export NAME=1 torchrun …``, whose words the tree does not list."""
    for number, line in numbered(script, document):
        found = _EXPORT.match(line) if "export" in line else None
        after = found[3] if found is not None else ""
        if after == "\\":  # the line goes on
            after = (script.line_text(number + 1).split() or [""])[0]
        if found is None or not _is_started(found[2], after):
            continue
        place = script.between(number, found.span(2))
        yield _slip("export", found[2].rpartition("/")[2], place, place)


def _is_started(program: str, after: str) -> bool:
    """The words of a masked line: a program, and what only a program is followed by."""
    name = program.rpartition("/")[2]
    if PYTHON.match(name):
        return after.endswith(".py") or after in ("-m", "-u")
    subs = FRAMEWORKS.get(name, frozenset(LAUNCHERS[name].sub if name in LAUNCHERS else ()))
    alone = name in LAUNCHERS and not subs and (after.startswith("-") or after.endswith(".py"))
    return after in subs or alone


def _slip(tool: str, program: str, place: Span, start: Span) -> Slip:
    edit = Edit(start.file, start.start, start.start, "&& ")
    repair = Repair((Respelt((edit,), parts=True),), safe=False, why=WHY)
    return Slip(_NO_AND.fill(program=program, tool=tool), place, repair)


def _earliest(words: Sequence[Word]) -> int:
    """The first word that may be another program; 0 where the command is no such tool."""
    tool = words[0].raw if words else ""
    if tool in _TAKES:
        return 1 + _TAKES[tool]
    if tool in _ANY:
        return 2
    if tool in ("source", "."):
        told = len(words) > 1 and _ENVIRONMENT.search(words[1].raw.strip("\"'"))
        return 2 if told else 0
    sub = words[1].raw if len(words) > 1 else ""
    return 3 if sub and _SUBCOMMANDS.get(tool) == sub else 0


def _starts(words: Sequence[Word], at: int) -> bool:
    """Whether a word is a program, which the next one tells: no folder is followed by that."""
    name, after = program_name(words[at]), words[at + 1].text
    if name in ("srun", "nohup"):
        return any(_starts(words, later) for later in range(at + 1, len(words) - 1))
    return _is_started(words[at].raw, after)
