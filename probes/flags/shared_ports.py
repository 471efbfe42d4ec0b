"""Launches of one script that run at the same time and meet on the same port."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import PurePosixPath

from medic.facts import Document, Launch, Repair, Respelt, Word
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Edit, Span

from .branches import Branches
from .launchers import ALIASES, MODULES
from .option_words import are_fixed, option_word
from .repeats import Loop, repeating
from .script_text import ScriptText
from .world import TORCH_PORT, world_of

SHARED = "launches-share-a-port"
_STARTS_RANKS = ("torchrun", "deepspeed", "accelerate")
_ELSEWHERE = frozenset(("ssh", "srun", "mpirun", "docker", "apptainer", "ray", "pdsh"))
_PORTS = ("--master-port", "--main-process-port", "--rdzv-endpoint")
_FREE = Text("a port that no launch of this script has", "本脚本中没有其他启动命令使用的端口")
_SAME = Text(
    "the launch of line {line} still runs in the background and holds port {port}: this one needs "
    "another",
    "第 {line} 行的启动命令还在后台运行并占用端口 {port}：这里需要换一个端口",
)
_DEFAULT = Text(
    "the launch of line {line} still runs in the background and holds port {port}, the default of "
    "both: give this one another",
    "第 {line} 行的启动命令还在后台运行，占用两者的默认端口 {port}：这里需要另指定端口",
)
_AGAIN = Text(
    "the loop starts this again while the one before still runs in the background and holds port "
    "{port}: each pass needs a port of its own",
    "循环再次启动该命令时，上一次启动的还在后台运行并占用端口 {port}：每一轮都需要自己的端口",
)
_EACH = Text("a port of its own for each pass", "每一轮各用一个端口")
_RANKS = ("--node-rank", "--machine-rank")


@dataclass(frozen=True)
class Shared:
    """A launch whose port is held: what to say, where, and the port that is free instead."""

    what: Text
    span: Span
    repair: Repair | None


def shared_ports(
    script: ScriptText, document: Document, launches: Sequence[Launch]
) -> Iterator[Shared]:
    """Both on this machine and in one branch; what ``wait`` has waited for is over."""
    by_place = {(one.span.start, one.span.end): one for one in launches}
    used = {port for one in launches if (port := _port(one)) is not None}
    branches = Branches(script)
    running: dict[int, list[Launch]] = {}
    for command in document.commands:
        if command.words and command.words[0].value == "wait":
            running.clear()
        launch = by_place.get((command.span.start, command.span.end))
        port = _port(launch) if launch is not None else None
        if launch is None or port is None:
            continue
        at, holding = branches.of(launch.span), running.get(port, [])
        block = script.block_in_background(launch.span)
        beside = (
            one
            for one in holding
            if one.span != launch.span
            and (block is None or script.block_in_background(one.span) != block)
        )
        earlier = next((one for one in beside if branches.of(one.span) == at), None)
        if earlier is not None and _same(script, earlier, launch):
            free = next(number for number in count(port + 1) if number not in used)
            used.add(free)
            yield _told(launch, port, earlier, free)
        behind = script.background(command.span) is not None or block is not None
        loop = _loop_around(script, launch) if earlier is None and behind else None
        if loop is not None:
            yield _told_again(launch, port, loop)
        if behind:
            running.setdefault(port, []).append(launch)


def _loop_around(script: ScriptText, launch: Launch) -> Loop | None:
    """The loop that starts a launch again beside itself: no rank of one job, always on one port."""
    words = launch.launcher_words
    several = world_of(launch).nodes not in (None, 1) or option_word(words, *_RANKS) is not None
    if several or not are_fixed(script, words, *_PORTS):
        return None
    line = launch.span.line
    return next((one for one in repeating(script) if one.first <= line <= one.last), None)


def _told_again(launch: Launch, port: int, loop: Loop) -> Shared:
    words = launch.launcher_words
    found = option_word(words, *_PORTS)
    name = next((word for word in reversed(words) if _is_launcher(word, launch)), words[0])
    each = _instead(launch, found[0], str(port), f"$(({port} + {loop.counter}))") if found else None
    repair = each if each is not None and loop.counter else Repair((), safe=False, why=_EACH)
    span = found[0].span if found is not None else name.span
    return Shared(_AGAIN.fill(port=str(port)), span, repair)


def _port(launch: Launch) -> int | None:
    names = {PurePosixPath(word.value).name for word in launch.launcher_words if word.value}
    here = launch.launcher in _STARTS_RANKS and _ELSEWHERE.isdisjoint(names)
    return (world_of(launch).port if here else None) or None  # 0: any that is free


def _same(script: ScriptText, one: Launch, other: Launch) -> bool:
    """Whether both have the port whatever the running shell sets: no default of a variable."""
    first, second = (option_word(each.launcher_words, *_PORTS) for each in (one, other))
    if first is not None and second is not None and first[0].raw == second[0].raw:
        return True
    return all(are_fixed(script, each.launcher_words, *_PORTS) for each in (one, other))


def _told(launch: Launch, port: int, earlier: Launch, free: int) -> Shared:
    words = launch.launcher_words
    found = option_word(words, *_PORTS)
    line, held = earlier.span.line, str(port)
    if found is not None:
        repair = _instead(launch, found[0], held, free)
        return Shared(_SAME.fill(line=line, port=held), found[0].span, repair)
    what = (_DEFAULT if port == TORCH_PORT else _SAME).fill(line=line, port=held)
    name = next((word for word in reversed(words) if _is_launcher(word, launch)), None)
    if name is None:
        return Shared(what, words[0].span, None)
    edit = Edit(name.span.file, name.span.end, name.span.end, f" --master_port {free}")
    return Shared(what, name.span, Repair((Respelt((edit,), joins=True),), safe=False, why=_FREE))


def _instead(launch: Launch, word: Word, port: str, free: int | str) -> Repair | None:
    """The number in the command itself: its variable may be another launch's, too."""
    value = word.value or ""
    inside = launch.span.start <= word.span.start < launch.span.end
    if not inside or not value.endswith(port) or (word.raw != value and "$" not in word.raw):
        return None
    name, sign, _ = word.raw.partition("=")
    new = f"{name}={free}" if sign and ":" not in value else value[: -len(port)] + str(free)
    edit = Edit(word.span.file, word.span.start, word.span.end, new)
    return Repair((Respelt((edit,), joins=True),), safe=False, why=_FREE)


def _is_launcher(word: Word, launch: Launch) -> bool:
    text = word.value or ""
    name = PurePosixPath(text).name
    return text in MODULES or ALIASES.get(name, name) == launch.launcher
