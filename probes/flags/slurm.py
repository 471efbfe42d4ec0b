"""What a batch script asks of Slurm, and how many tasks its ``srun`` starts on a node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from medic.facts import Launch, Word
from medic.records import dataclass, field
from medic.run_config import Span
from medic.text.patterns import regex

from .counts import count_of
from .launch import words_of
from .launchers import ALIASES, LAUNCHERS, PYTHON
from .script_text import ScriptText

_LINE = regex(r"^#SBATCH\s+(.*?)(?:\s#.*)?$")
_OPTION = regex(r"(?:--([a-z][a-z-]*)|-([A-Za-z]))(?:[= ]\s*|(?=\d))([^\s#]+)")
_SHORT = {"N": "nodes", "n": "ntasks", "G": "gpus", "c": "cpus-per-task"}
_READ = frozenset(
    (
        "nodes",
        "ntasks",
        "ntasks-per-node",
        "tasks-per-node",
        "gpus",
        "gpus-per-node",
        "gpus-per-task",
        "gres",
        "cpus-per-task",
    )
)
_GPUS = regex(r"^gpu(?:[:=][A-Za-z][\w.-]*)?(?:[:=](\d+))?(?:\(.*\))?$")
_COUNT = regex(r"^(?:[A-Za-z][\w.-]*:)?(\d+)$")


@dataclass(frozen=True)
class Directive:
    """One option of an ``#SBATCH`` line; ``number`` is None where it is no plain count."""

    name: str
    number: int | None
    span: Span


@dataclass(frozen=True)
class Allocation:
    """What the ``#SBATCH`` lines ask for. None: not stated, or not a plain number."""

    options: Mapping[str, Directive] = field(default_factory=dict)

    def number(self, name: str) -> int | None:
        found = self.options.get(name)
        return found.number if found else None

    @property
    def nodes(self) -> int | None:
        return self.number("nodes")

    @property
    def tasks_per_node(self) -> int | None:
        stated = self.number("ntasks-per-node")
        total, nodes = self.number("ntasks"), self.nodes
        if stated is not None or "ntasks-per-node" in self.options or not total or not nodes:
            return stated
        return total // nodes if total % nodes == 0 else None

    @property
    def gpus_per_node(self) -> int | None:
        for name in ("gpus-per-node", "gres"):
            if name in self.options:
                return self.number(name)
        total, nodes = self.number("gpus"), self.nodes
        if total and nodes and total % nodes == 0:
            return total // nodes
        each, tasks = self.number("gpus-per-task"), self.tasks_per_node
        return each * tasks if each and tasks else None

    def place(self, *names: str) -> Span | None:
        """Where the first of the options stands."""
        return next((self.options[n].span for n in names if n in self.options), None)


def allocation_of(script: ScriptText) -> Allocation:
    """The ``#SBATCH`` lines before the first command: those that Slurm reads (sbatch manual)."""
    found: dict[str, Directive] = {}
    for number, line in enumerate(script.lines, 1):
        text = line.strip()
        if text and not text.startswith("#"):
            break
        for directive in _directives(script, number, line):
            found[directive.name] = directive
    return Allocation(found)


def asks_for_gpus(allocation: Allocation) -> bool:
    """Whether a job asks for GPUs in one of the ways."""
    found = allocation.options.get("gres")
    return bool(found and found.number) or any(
        name in allocation.options for name in ("gpus", "gpus-per-node", "gpus-per-task")
    )


def _directives(script: ScriptText, number: int, line: str) -> Iterator[Directive]:
    match = _LINE.match(line)
    if match is None:
        return
    for option in _OPTION.finditer(line, match.start(1), match.end(1)):
        name = option[1] or _SHORT.get(option[2], "")
        name = "ntasks-per-node" if name == "tasks-per-node" else name
        if name in _READ:
            span = script.span(number, option.start(3) + 1, option.end(3) + 1)
            yield Directive(name, _number(name, option[3].strip("'\"")), span)


def _number(name: str, text: str) -> int | None:
    if name == "gres":
        kinds = [_GPUS.match(part) for part in text.split(",")]
        counts = [int((m[1] or "1")[:9]) for m in kinds if m]
        return sum(counts) if counts else None
    count = _COUNT.match(text)
    return int(count[1][:9]) if count else None


# --- srun -----------------------------------------------------------------------------------


def srun_words(launch: Launch) -> list[str] | None:
    """The words of ``srun`` itself; None where the launch is not started by it."""
    words = list(words_of(launch))
    names = [ALIASES.get(name, name) for name in (PurePosixPath(w).name for w in words)]
    if "srun" not in names:
        return None
    start = names.index("srun") + 1
    for at in range(start, len(words)):
        if names[at] in LAUNCHERS or PYTHON.match(names[at]) or names[at] == "bash":
            return words[start:at]
    return words[start:]


def stated(words: Sequence[str], long: str, short: str = "") -> str | None:
    """The last value of an option of ``srun``: ``--nodes=2``, ``--nodes 2``, ``-N2``, ``-N 2``."""
    found: str | None = None
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else None
        name, sign, value = word.partition("=")
        if name == long:
            found = value if sign else following
        elif short and word == short:
            found = following
        elif short and word.startswith(short) and word[len(short) :].isdecimal():
            found = word[len(short) :]
    return found


def narrowed(words: Sequence[str]) -> bool:
    """Whether ``srun`` starts on chosen nodes only, or as part of another job."""
    chosen = ("-w", "--nodelist", "-r", "--relative", "--het-group")
    job = stated(words, "--jobid")
    other = job is not None and "SLURM_JOB" not in job
    return other or any(w.partition("=")[0] in chosen for w in words)


def tasks_per_node(words: Sequence[str], allocation: Allocation) -> int | None:
    """Tasks that this ``srun`` starts on each node; None where it cannot be known."""
    own = stated(words, "--ntasks-per-node") or stated(words, "--tasks-per-node")
    total = stated(words, "--ntasks", "-n")
    nodes = stated(words, "--nodes", "-N")
    count = count_of(nodes) if nodes else allocation.nodes
    if own is not None:
        return count_of(own)
    if total is not None:
        tasks = count_of(total)
        return tasks // count if tasks and count and tasks % count == 0 else None
    return allocation.tasks_per_node


# --- what a launch takes from it ------------------------------------------------------------


def batch_words(launch: Launch, allocation: Allocation) -> tuple[Word, ...]:
    """What the job asks for, as far as it holds for this command.

    Only ``srun`` starts tasks; a single task may well start its own processes. The batch script
    itself has the CPUs of all its tasks on the node (sbatch manual).
    """
    own = srun_words(launch)
    tasks = allocation.tasks_per_node if own is None else tasks_per_node(own, allocation)
    names = ["gpus-per-node"]
    if own is not None or tasks in (None, 1):
        names.append("cpus-per-task")
    if launch.launcher == "srun" and own is not None and not narrowed(own):
        names += ["nodes"] if stated(own, "--nodes", "-N") is None else []
        plain = stated(own, "--ntasks-per-node") is None and stated(own, "--ntasks", "-n") is None
        names += ["ntasks-per-node"] if plain and tasks is not None and tasks > 1 else []
    return tuple(
        Word(found.span, str(found.number), f"--{name}={found.number}", found.span)
        for name in names
        if (found := allocation.options.get(name)) is not None and found.number is not None
    )
