"""Commands of a script that run at the same time on the same GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from medic.facts import Command, Document, Launch
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Span
from medic.text.patterns import regex

from .branches import Branches
from .layout import Fault
from .script_text import ScriptText

HELD = "gpu-held-by-another-process"
_LIST = regex(r"^\d+(?:,\d+)*$")
_ASSIGNED = regex(r"(?:^|[\s;])(?:export\s+)?CUDA_VISIBLE_DEVICES=[\"']?([^\s\"';&]*)")
# They take a share of the card's memory as they start (vLLM: --gpu-memory-utilization, 0.9 unless told
# otherwise; SGLang: --mem-fraction-static).
_SERVER = regex(
    r"vllm[- ]serve\b|\bvllm\.entrypoints\.|\bsglang\.launch_server\b|\blmdeploy serve\b"
)
_SHARE = regex(r"--(?:gpu[_-]memory[_-]utilization|mem[_-]fraction[_-]static|vllm[_-]gpu)")
_ELSEWHERE = frozenset(("ssh", "srun", "mpirun", "docker", "podman", "apptainer", "ray", "pdsh"))
_BOTH = Text(
    "GPU {gpus} is that of line {line}, too, which still runs in the background",
    "第 {line} 行的命令还在后台运行，用的也是 GPU {gpus}",
)


@dataclass(frozen=True)
class _Job:
    command: Command
    gpus: tuple[int, ...]
    serves: bool


def shared_gpus(
    script: ScriptText, document: Document, launches: Sequence[Launch]
) -> Iterator[Fault]:
    """Lists that overlap in part, or one GPU for a server and a training: two small trainings that
    are given one GPU each time may be meant so."""
    by_place = {(one.span.start, one.span.end) for one in launches}
    branches = Branches(script)
    running: list[_Job] = []
    for command in document.commands:
        if command.words and command.words[0].value in ("wait", "kill", "pkill"):
            running.clear()
        job = _job(script, command, by_place)
        if job is None:
            continue
        at = branches.of(command.span)
        held = (one for one in running if branches.of(one.command.span) == at)
        other = next((one for one in held if _clash(one, job)), None)
        found = _visible(script, command) if other is not None else None
        if other is not None and found is not None:
            both = ", ".join(str(n) for n in job.gpus if n in other.gpus)
            yield Fault(HELD, _BOTH.fill(gpus=both, line=other.command.span.line), found[1])
        if script.background(command.span) is not None:
            running.append(job)


def _job(script: ScriptText, command: Command, launches: set[tuple[int, int]]) -> _Job | None:
    text = " ".join(word.value or word.raw for word in command.words)
    names = {PurePosixPath(word.value).name for word in command.words if word.value}
    serves = _SERVER.search(text) is not None and not _SHARE.search(text)
    started = (command.span.start, command.span.end) in launches
    if not (serves or started) or not _ELSEWHERE.isdisjoint(names):
        return None
    found = _visible(script, command)
    if found is None or _LIST.match(found[0]) is None:
        return None
    return _Job(command, tuple(int(n) for n in found[0].split(",")), serves)


def _clash(one: _Job, other: _Job) -> bool:
    both = set(one.gpus) & set(other.gpus)
    same = set(one.gpus) == set(other.gpus)
    return bool(both) and (one.serves != other.serves or not same)


def _visible(script: ScriptText, command: Command) -> tuple[str, Span] | None:
    """What the variable is for a command, and where: of its own, else the last export above."""
    own = command.assignments.get("CUDA_VISIBLE_DEVICES")
    for number in range(command.span.line, 0, -1):
        line = script.lines[number - 1]
        if line.lstrip().startswith("#"):
            continue
        for found in reversed([*_ASSIGNED.finditer(line)]):
            exported = "export" in found[0]
            if (own is not None and found[1] == own) or (own is None and exported):
                span = script.span(number, found.start(1) + 1, found.end(1) + 1)
                return found[1], span
        if own is not None and number < command.span.line:
            break
    return None
