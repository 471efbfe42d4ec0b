"""What a launch counts on beside what is there: tasks of a Lightning run, rows of a hostfile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from medic.facts import Document, Launch
from medic.i18n import Text
from medic.run_config import RunConfig
from medic.text.patterns import regex

from ..manner import Manner
from .counts import count_of
from .layout import OTHERWISE, TOO_MANY, Fault
from .option_words import is_fixed, option_word
from .script_text import ScriptText
from .slurm import Allocation, narrowed, srun_words, stated, tasks_per_node

_TRAIT = "task-per-device"
_MAX_HOSTFILE = 64 * 1024  # bytes; a row is some thirty
# DeepSpeed launcher/runner.py _parse_hostfile: worker-0 slots=8.
_ROW = regex(r"^\s*\S+\s+slots=(\d{1,9})\s*(?:#.*)?$")
_TASKS = Text(
    "--ntasks-per-node is {tasks}, and trainer.devices is {devices}: Lightning wants a task for each "
    "device, and refuses to start",
    "--ntasks-per-node 为 {tasks}，而 trainer.devices 为 {devices}：Lightning 要求每张卡一个任务，会拒绝启动",
)
_HOSTS = Text(
    "--num_nodes is {said}, and {file} has {rows} nodes: the run starts on those alone",
    "--num_nodes 为 {said}，而 {file} 只有 {rows} 个节点：只会在这些节点上启动",
)
_SLOTS = Text(
    "--num_gpus is {said}, and {file} has {slots} slots a node",
    "--num_gpus 为 {said}，而 {file} 每个节点只有 {slots} 个 slots",
)


def devices_without_tasks(
    launch: Launch, allocation: Allocation, config: RunConfig, frameworks: Sequence[Manner]
) -> Iterator[Fault]:
    """``devices: 8`` in a job of one task a node (lightning fabric/plugins/environments/slurm.py,
    validate_settings, which looks where ``--ntasks-per-node`` is given alone)."""
    words, origin = srun_words(launch), config.origin("gpus_per_node")
    if launch.launcher != "srun" or words is None or narrowed(words) or origin is None:
        return
    trainers = {one.name for one in frameworks if _TRAIT in one.traits}
    if origin.framework not in trainers or not origin.key.endswith("devices"):
        return
    tasks, devices = tasks_per_node(words, allocation), config.integer("gpus_per_node")
    place = allocation.place("ntasks-per-node")
    own = stated(words, "--ntasks-per-node") or stated(words, "--ntasks", "-n")
    if tasks and devices and devices > 0 and tasks != devices and place is not None and not own:
        yield Fault(OTHERWISE, _TASKS.fill(tasks=tasks, devices=devices), place)


def beyond_hostfile(script: ScriptText, launch: Launch, document: Document) -> Iterator[Fault]:
    """``deepspeed --num_nodes 4`` with a file of two hosts: runner.py takes the first four."""
    words = launch.launcher_words
    named = option_word(words, "--hostfile", "-H")
    if launch.launcher != "deepspeed" or named is None or not is_fixed(script, named[0]):
        return
    slots = _slots(script, document, named[1])
    file, said = PurePath(named[1]).name, option_word(words, "--num-nodes")
    nodes = count_of(said[1]) if said is not None and is_fixed(script, said[0]) else None
    if slots and said is not None and nodes and nodes > len(slots):
        what = _HOSTS.fill(said=nodes, file=file, rows=len(slots))
        yield Fault(OTHERWISE, what, said[0].literal or said[0].span)
    each = option_word(words, "--num-gpus")
    gpus = count_of(each[1]) if each is not None and is_fixed(script, each[0]) else None
    if slots and each is not None and gpus and gpus > max(slots):
        what = _SLOTS.fill(said=gpus, file=file, slots=max(slots))
        yield Fault(TOO_MANY, what, each[0].literal or each[0].span)


def _slots(script: ScriptText, document: Document, name: str) -> list[int]:
    """The slots of each row of a hostfile that the script writes, or that lies beside it."""
    text = document.texts.get(name)
    if (
        name not in document.texts
        and not PurePath(name).is_absolute()
        and ".." not in PurePath(name).parts
    ):
        text = _beside(Path(script.file).parent / name)
    rows = [_ROW.match(line) for line in (text or "").splitlines() if not _is_idle(line)]
    found = [int(row[1]) for row in rows if row is not None]
    return found if len(found) == len(rows) else []


def _is_idle(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _beside(path: Path) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > _MAX_HOSTFILE:
            return None
        return path.read_text("utf-8", "replace")
    except (OSError, ValueError):
        return None
