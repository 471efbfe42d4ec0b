"""What a script sets and its program does not see, and programs that end with the job."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from medic.errors import Unreadable
from medic.facts import Command, Document, Launch
from medic.i18n import Text
from medic.probe import Look
from medic.run_config import Span
from medic.text.patterns import regex

from .masked import numbered
from .script_text import ScriptText
from .slip import Slip, replaced
from .slurm import allocation_of

_ALONE = regex(r"^\s*([A-Z][A-Z0-9_]+)=(?!\()(?:\$\([^()]*\)|\S)+\s*(?:#.*|\ue001*)?$")
_EXPORTS_ALL = regex(r"(?m)^\s*set\s+(?:-a\b|-\w*a\w*\b|-o\s+allexport)")
_WAITS = regex(r"(?m)(?:^|[;&|{(]|\bdo|\bthen)\s*wait\b")
_TRIVIAL = frozenset("echo sleep date exit true : printf set export done fi".split())  # noqa: SIM905
# Every launcher sets these for its ranks.
_SET_BY_LAUNCHERS = regex(
    r"^(?:(?:LOCAL_|GROUP_|NODE_)?(?:RANK|WORLD_SIZE)|NNODES|NPROC_PER_NODE)$"
)
_MEETING = regex(r"^MASTER_(?:ADDR|PORT)$")  # a launcher takes it from its options
# Read by every Python program.
PYTHONS = frozenset(("PYTHONPATH",))
MAX_SOURCE = 512 * 1024
_ASKS = regex(r"\bos\.(?:environ(?:\.get\(|\[)|getenv\()\s*[\"']([A-Za-z_]\w*)[\"']")
_KEEPS = regex(r"^(?:-E|--preserve-env(?:=.*)?|-\w*E\w*)$")

_NOT_EXPORTED = Text(
    "{name} is not exported: no program that the script starts sees it",
    "{name} 没有 export：脚本启动的程序读不到它",
)
_JOB_ENDS = Text(
    "the command runs in the background and no wait follows: the job ends with the script and "
    "Slurm stops the command",
    "命令在后台运行，其后没有 wait：脚本结束时作业随之结束，Slurm 会终止该命令",
)
_SUDO = Text(
    "sudo drops {name} before the program starts: put it behind sudo, or use sudo -E",
    "sudo 会在程序启动前清除 {name}：请写在 sudo 之后，或用 sudo -E",
)


def unexported(
    script: ScriptText, document: Document, launches: Sequence[Launch], known: Collection[str]
) -> Iterator[Slip]:
    """Variables that only programs read, set without ``export`` and used nowhere in the script."""
    if not launches or _EXPORTS_ALL.search(script.text):
        return
    own = all(launch.launcher in ("python", "srun", "mpirun") for launch in launches)
    for number, line in numbered(script, document):
        found = _ALONE.match(line)
        name = found[1] if found else ""
        if found is None or name not in known or (_SET_BY_LAUNCHERS.match(name) and not own):
            continue
        if name in script.used or _named(script, name) or (_MEETING.match(name) and not own):
            continue
        span = script.span(number, found.start(1) + 1, found.end(1) + 1)
        yield Slip(_NOT_EXPORTED.fill(name=name), span, replaced(span, f"export {name}"))


def asked_for(look: Look) -> frozenset[str]:
    """The variables that the given Python files read from their environment."""
    return frozenset(n for given in look.files("python") for n in _asked(look, given.path))


def _asked(look: Look, path: str) -> list[str]:
    try:
        with look.open(path, MAX_SOURCE) as file:
            return _ASKS.findall(file.read(MAX_SOURCE).decode("utf-8", "replace"))
    except Unreadable:
        return []


def _named(script: ScriptText, name: str) -> bool:
    """Whether the variable stands in another line than those that set it."""
    rest = re.sub(rf"(?m)^\s*{name}=", "", script.text)
    return re.search(rf"\b{name}\b", rest) is not None


def backgrounds(script: ScriptText, document: Document) -> Iterator[Slip]:
    """A batch script that ends while its commands run."""
    if not allocation_of(script).options or _WAITS.search(script.text):
        return
    last: Command | None = None
    place: Span | None = None
    for command in document.commands:
        name = command.words[0].value if command.words else None
        background = script.background(command.span)
        if background is not None and name not in _TRIVIAL:
            last, place = command, background
        elif last is not None and name not in _TRIVIAL:
            last = place = None
    if place is not None:
        yield Slip(_JOB_ENDS, place)


def sudo(document: Document, known: Collection[str]) -> Iterator[Slip]:
    for command in document.commands:
        words = command.words
        if not words or words[0].value != "sudo" or any(_KEEPS.match(w.raw) for w in words[1:4]):
            continue
        for name in command.assignments:
            if name in known:
                yield Slip(_SUDO.fill(name=name), words[0].span)
