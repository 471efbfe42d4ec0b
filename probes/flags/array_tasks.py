"""The tasks of a Slurm array: elements that a list does not have for them, one folder for all."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from medic.facts import Launch, Repair, Word
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Span
from medic.text.patterns import regex

from .option_words import option_word, set_once
from .script_text import ScriptText
from .shared_ports import Shared
from .slip import Slip
from .slurm import allocation_of

RACE = "ranks-race-on-checkpoint-folder"
_DIRECTIVE = regex(
    r"^#SBATCH\s+(?:.*\s)?(?:--array|-a)[=\s]\s*([\d,:-]+)(?:%(\d{1,6}))?\s*(?:#.*)?$"
)
_RANGE = regex(r"(\d{1,7})(?:-(\d{1,7})(?::(\d{1,7}))?)?")
_MOST = 100_000
_TASK = r"\$?\{?SLURM_ARRAY_TASK_ID\}?"
_USE = regex(
    rf"\$\{{([A-Za-z_]\w*)\[\s*(?:{_TASK}|(?:\$?\(\()?\s*{_TASK}\s*-\s*(\d{{1,6}})\s*(?:\)\))?)\s*\]\}}"
)
_FOLDERS = (
    "--output-dir", "--out-dir", "--save", "--save-dir", "--save-folder", "--save-path",
    "--checkpoint-dir", "--ckpt-dir", "--output-path",
)  # fmt: skip
_BEYOND = Text(
    "{word}: --array goes to {last}, and {name} has {n} elements: for the tasks beyond it is empty",
    "{word}：--array 到 {last} 为止，而 {name} 只有 {n} 个元素：超出部分的任务取到空值",
)
_ONE_FOLDER = Text(
    "{n} tasks of the array run at the same time, and each writes {folder}",
    "作业数组有 {n} 个任务同时运行，每个都写入 {folder}",
)
_ONE_PORT = Text(
    "{n} tasks of the array run at the same time, and those that come to one node all take port {port}",
    "作业数组有 {n} 个任务同时运行，落在同一节点上的都使用端口 {port}",
)
_EACH = Text(
    "a port of its own for each task: $(({port} + SLURM_ARRAY_TASK_ID))",
    "每个任务各用一个端口：$(({port} + SLURM_ARRAY_TASK_ID))",
)
_PORTS = ("--master-port", "--main-process-port")
_WHOLE_NODE = regex(r"(?m)^#SBATCH\s+(?:.*\s)?(?:--exclusive|--mem[= ]0)(?:\s|$)")
_SOME_GPUS = 4  # of the eight that a node for training has


@dataclass(frozen=True)
class Array:
    """The numbers of an array's tasks, and how many run at the same time."""

    first: int
    last: int
    count: int
    at_once: int


def array_of(script: ScriptText) -> Array | None:
    """What ``#SBATCH --array=0-7%2`` asks for (sbatch manual)."""
    for line in script.lines:
        if line.strip() and not line.startswith("#"):
            return None
        found = _DIRECTIVE.match(line)
        parts = [_RANGE.fullmatch(part) for part in found[1].split(",")] if found else []
        if found is None or not all(parts):
            continue
        ranges = [
            range(int(one[1]), int(one[2] or one[1]) + 1, max(int(one[3] or 1), 1))
            for one in parts
            if one is not None
        ]
        count = sum(len(one) for one in ranges)
        if 0 < count <= _MOST and all(ranges):
            ends = [one[-1] for one in ranges]
            at_once = min(count, int(found[2] or count))
            return Array(min(one[0] for one in ranges), max(ends), count, at_once)
    return None


def beyond_list(script: ScriptText) -> Iterator[Slip]:
    """``${LRS[$SLURM_ARRAY_TASK_ID]}`` of a list that is shorter than the array."""
    array = array_of(script)
    if array is None or "SLURM_ARRAY_TASK_ID" not in script.text:
        return
    for number, line in enumerate(script.lines, 1):
        for use in _USE.finditer(line) if not line.lstrip().startswith("#") else ():
            size, last = _size(script, use[1]), array.last - int(use[2] or 0)
            if size and last >= size:
                what = _BEYOND.fill(word=use[0], last=array.last, name=use[1], n=size)
                yield Slip(what, script.between(number, use.span()))


def _size(script: ScriptText, name: str) -> int:
    """How many elements the one assignment of a list has; 0 where the shell makes them."""
    found = re.findall(rf"(?m)(?:^|[\s;]){name}(\+?)=\(([^()]*)\)", script.text)
    sets = len(re.findall(rf"(?:^|[\s;]){name}(?:\[[^\]]*\])?\+?=", script.text))
    if len(found) != 1 or sets != 1 or found[0][0] or re.search(r"[$`*?{\[]", found[0][1]):
        return 0
    try:
        return len(shlex.split(found[0][1], comments=True))
    except ValueError:
        return 0


def one_folder(script: ScriptText, launches: Sequence[Launch]) -> Iterator[tuple[Text, Span]]:
    """A folder of a launch that is the same in tasks which run at the same time."""
    array = array_of(script)
    if array is None or array.at_once < 2 or len(launches) != 1:
        return
    found = option_word(launches[0].arguments, *_FOLDERS)
    if found is not None and found[1] and not found[1].startswith("-"):
        what = _ONE_FOLDER.fill(n=array.at_once, folder=found[1])
        yield what, found[0].literal or found[0].span


def one_port(script: ScriptText, launches: Sequence[Launch]) -> Iterator[Shared]:
    """A port that is written out, of tasks that each take a part of a node."""
    array, allocation = array_of(script), allocation_of(script)
    gpus, nodes = allocation.gpus_per_node, allocation.nodes
    whole = _WHOLE_NODE.search(script.text) is not None
    if array is None or array.at_once < 2 or len(launches) != 1 or whole or nodes not in (None, 1):
        return
    total = allocation.number("gpus") if gpus is None else gpus
    found = option_word(launches[0].launcher_words, *_PORTS)
    if found is None or not total or total > _SOME_GPUS or not found[1].isdecimal():
        return
    word = found[0]
    if found[1] != "0" and "SLURM_" not in word.raw and _is_written(script, word):
        what = _ONE_PORT.fill(n=array.at_once, port=found[1])
        by_hand = Repair((), safe=False, why=_EACH.fill(port=found[1]))
        yield Shared(what, word.literal or word.span, by_hand)


def _is_written(script: ScriptText, word: Word) -> bool:
    """Whether the number stands in the script: behind the option, or as its variable's only value."""
    name = re.search(r"\$\{?([A-Za-z_]\w*)\}?$", word.raw.strip("\"'"))
    if name is None:
        return "$" not in word.raw
    found = set_once(script, name[1])
    return found is not None and found[0].isdecimal()
