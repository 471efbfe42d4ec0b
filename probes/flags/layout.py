"""Nodes, tasks and processes of a launch against what its batch script asks of Slurm."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from medic.facts import Launch, Word
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import Span
from medic.text.patterns import regex

from .counts import count_of
from .early_rank import rank_of_batch
from .option_words import are_fixed, is_fixed, is_given, option_word, set_once
from .script_text import ScriptText
from .slurm import Allocation, narrowed, srun_words, stated, tasks_per_node
from .ssh_ranks import same_rank_over_ssh
from .visible import hidden
from .world import World, world_of

EVERY_TASK = "launcher-in-every-task"
NODE_RANK = "node-rank-missing-or-repeated"
ENDPOINT = "rendezvous-endpoint-wrong"
TOO_MANY = "more-ranks-than-gpus"
OTHERWISE = "launch-not-as-allocated"

_STARTS_RANKS = ("torchrun", "accelerate", "deepspeed", "tune")
_COUNTS_NODES = ("--nnodes", "--num-machines", "--num-nodes")
_COUNTS_RANKS = ("--nproc-per-node", "--num-processes", "--num-gpus")
LOOPBACK = regex(r"^(?:localhost|127(?:\.\d+){3})(?::\d*)?$")
# A script that takes its rank from the task needs a task for each GPU.
_RANK_OF_TASK = regex(r"SLURM_(?:PROCID|LOCALID|NTASKS)\b")
_HIDES = regex(r"\b(?:CUDA|HIP|ROCR)_VISIBLE_DEVICES=")

_TASKS = Text(
    "{tasks} tasks a node, and each starts {launcher}: {launcher} wants one task a node",
    "每个节点 {tasks} 个任务，每个都会启动 {launcher}；{launcher} 每个节点只应有一个任务",
)
_SAME_RANK = Text(
    "srun starts this command on {nodes} nodes, and {flag} is {rank} on each",
    "srun 会在 {nodes} 个节点上执行此命令，每个节点的 {flag} 都是 {rank}",
)
_TOO_HIGH = Text(
    "{flag} is {rank}: the ranks of {nodes} nodes run from 0 to {last}",
    "{flag} 为 {rank}：{nodes} 个节点的编号应为 0 到 {last}",
)
LOCAL = Text(
    "{address} is another machine on each of the {nodes} nodes",
    "{address} 在 {nodes} 个节点上各指各自的机器",
)
OVER = Text(
    "{ranks} processes a node, but the job asks for {gpus} GPUs a node",
    "每个节点 {ranks} 个进程，而作业每个节点只申请了 {gpus} 张 GPU",
)
UNDER = Text(
    "{ranks} processes a node, but the job asks for {gpus} GPUs a node: the rest are idle",
    "每个节点 {ranks} 个进程，而作业每个节点申请了 {gpus} 张 GPU，其余闲置",
)
NODES = Text(
    "the launch is for {said} nodes, the job asks for {asked}",
    "启动命令按 {said} 个节点，作业申请了 {asked} 个",
)


@dataclass(frozen=True)
class Fault:
    """A fault of the layout: the check, what is wrong, where."""

    name: str
    what: Text
    span: Span


@dataclass(frozen=True)
class _Case:
    script: ScriptText
    launch: Launch
    allocation: Allocation
    world: World
    srun: Sequence[str] | None
    alone: bool  # the only launch of its script
    known: bool  # which options the launcher has is not left to the running shell

    @property
    def nodes(self) -> int | None:
        """Nodes that the command runs on, as far as ``srun`` or the launcher tells."""
        if self.srun is None:
            return self.world.nodes
        own = stated(self.srun, "--nodes", "-N")
        asked = count_of(own) if own else self.allocation.nodes
        return self.world.nodes if asked is None else asked


def faults(
    script: ScriptText, launch: Launch, allocation: Allocation, *, alone: bool
) -> list[Fault]:
    """What does not fit. torch/distributed/run.py, accelerate launch, sbatch and srun manuals."""
    case = _Case(
        script,
        launch,
        allocation,
        world_of(launch),
        srun_words(launch),
        alone,
        _options_known(launch.launcher_words),
    )
    found: list[Fault] = []
    for rule in (
        _every_task,
        _node_rank,
        _rank_over_ssh,
        _rank_too_high,
        _loopback,
        _counts,
        _node_count,
        _visible,
    ):
        found += rule(case)
    return found


def _options_known(words: Sequence[Word]) -> bool:
    """Whether every word that only the running shell knows is the value of an option."""
    for at, word in enumerate(words):
        before = (words[at - 1].value or "") if at else ""
        is_value = word.raw.startswith("--") and "=" in word.raw
        if word.value is None and not is_value and (not before.startswith("-") or "=" in before):
            return False
    return True


def _place(word: Word) -> Span:
    return word.literal or word.span


def _every_task(case: _Case) -> Iterator[Fault]:
    if case.srun is None or case.launch.launcher not in _STARTS_RANKS:
        return
    tasks = tasks_per_node(case.srun, case.allocation)
    if tasks is None or tasks <= 1 or case.world.nproc == 1 or narrowed(case.srun):
        return
    own = stated(case.srun, "--ntasks-per-node") or stated(case.srun, "--ntasks", "-n")
    place = case.allocation.place("ntasks-per-node", "ntasks") if own is None else None
    what = _TASKS.fill(tasks=tasks, launcher=case.launch.launcher)
    yield Fault(EVERY_TASK, what, place or case.launch.launcher_words[0].span)


def _node_rank(case: _Case) -> Iterator[Fault]:
    """A node rank that is the same on every node of ``srun``. It counts in a static rendezvous."""
    words, nodes = case.launch.launcher_words, case.nodes
    names = {"torchrun": "--node-rank", "accelerate": "--machine-rank"}
    flag = names.get(case.launch.launcher)
    if case.srun is None or flag is None or not nodes or nodes <= 1 or narrowed(case.srun):
        return
    backend = option_word(words, "--rdzv-backend")
    static = backend[1] == "static" if backend else not is_given(words, "--rdzv-backend")
    if not case.alone or not static:
        return
    said = option_word(words, flag)
    if said is None and not is_given(words, flag):
        yield from _no_rank(case, nodes)
    elif said is not None and said[1].isdecimal() and is_fixed(case.script, said[0]):
        what = _SAME_RANK.fill(nodes=nodes, flag=flag, rank=said[1])
        yield Fault(NODE_RANK, what, _place(said[0]))
    elif said is None:
        yield from _rank_of_batch(case, nodes, flag)


def _rank_over_ssh(case: _Case) -> Iterator[Fault]:
    if case.alone:
        for what, span in same_rank_over_ssh(case.script, case.launch):
            yield Fault(NODE_RANK, what, span)


def _rank_too_high(case: _Case) -> Iterator[Fault]:
    """A node rank that is none of the nodes that the launcher counts."""
    words, nodes = case.launch.launcher_words, case.world.nodes
    for flag in ("--node-rank", "--machine-rank"):
        said = option_word(words, flag)
        rank = _whole(said[1]) if said is not None else None
        if said is None or rank is None or not nodes or case.srun is not None:
            continue
        if not 0 <= rank < nodes and are_fixed(case.script, words, flag, *_COUNTS_NODES):
            what = _TOO_HIGH.fill(flag=flag, rank=said[1], nodes=nodes, last=nodes - 1)
            yield Fault(NODE_RANK, what, _place(said[0]))


def _whole(text: str) -> int | None:
    """A number of nodes, or a negative one."""
    return -1 if text.startswith("-") and text[1:].isdecimal() else count_of(text)


def _rank_of_batch(case: _Case, nodes: int, flag: str) -> Iterator[Fault]:
    """A variable of the tasks that the batch script fills in."""
    words = case.launch.launcher_words
    if case.launch.launcher == "accelerate" and is_given(words, "--config-file"):
        return  # the file may name a rendezvous that gives out the ranks
    for what, span in rank_of_batch(case.script, words, nodes, flag):
        yield Fault(NODE_RANK, what, span)


def _no_rank(case: _Case, nodes: int) -> Iterator[Fault]:
    """torchrun without a node rank: --node-rank is PET_NODE_RANK, else 0."""
    words = case.launch.launcher_words
    count = option_word(words, "--nnodes")
    if case.launch.launcher != "torchrun" or count is None or not case.known:
        return
    if (case.world.nodes or 1) > 1 and "PET_NODE_RANK" not in case.script.text:
        what = _SAME_RANK.fill(nodes=nodes, flag="--node-rank", rank="0")
        yield Fault(NODE_RANK, what, _place(count[0]))


def _loopback(case: _Case) -> Iterator[Fault]:
    nodes = case.nodes
    if not nodes or nodes <= 1 or (case.world.nodes == 1 and case.srun is not None):
        return
    words = case.launch.launcher_words
    endpoint = ("--master-addr", "--main-process-ip", "--rdzv-endpoint")
    found = option_word(words, *endpoint)
    if found is None and is_given(words, *endpoint):
        return
    if found is not None:
        if not LOOPBACK.match(found[1]):
            return
        what = LOCAL.fill(address=found[1], nodes=nodes)
        place = _place(found[0]) if is_fixed(case.script, found[0]) else _assigned(case, found[0])
        if place is not None:
            yield Fault(ENDPOINT, what, place)
    elif case.launch.launcher in ("srun", "python", "deepspeed") or not case.known:
        yield from _loopback_variable(case, nodes)


def _assigned(case: _Case, word: Word) -> Span | None:
    """Where the script sets the variable that a word begins with, if it does so once."""
    name = re.search(r"\$\{?([A-Za-z_]\w*)\}?(?::|[\"']?$)", word.raw)
    found = set_once(case.script, name[1]) if name else None
    return found[1] if found else None


def _loopback_variable(case: _Case, nodes: int) -> Iterator[Fault]:
    """``export MASTER_ADDR=localhost``: read by every rank that no launcher tells otherwise."""
    found = set_once(case.script, "MASTER_ADDR")
    if found is not None and LOOPBACK.match(found[0]):
        yield Fault(ENDPOINT, LOCAL.fill(address=found[0], nodes=nodes), found[1])


def _counts(case: _Case) -> Iterator[Fault]:
    """Processes of a node against its GPUs: one each (PyTorch documentation: torchrun)."""
    gpus = case.allocation.gpus_per_node
    if not gpus or not case.alone or _HIDES.search(case.script.text):
        return
    launcher, words = case.launch.launcher, case.launch.launcher_words
    if launcher in _STARTS_RANKS:
        found = option_word(words, *_COUNTS_RANKS)
        if not are_fixed(case.script, words, *_COUNTS_RANKS):
            return
        ranks, place = case.world.nproc, _place(found[0]) if found else None
        if launcher == "accelerate" and case.world.nodes is None and case.allocation.nodes != 1:
            return
    elif launcher == "srun" and case.srun is not None and not narrowed(case.srun):
        ranks = tasks_per_node(case.srun, case.allocation)
        place = case.allocation.place("ntasks-per-node", "ntasks")
        if ranks == 1 and not _RANK_OF_TASK.search(case.script.text):
            return  # the script may start its own processes
    else:
        return
    if ranks is not None and place is not None and ranks != gpus:
        name, what = (TOO_MANY, OVER) if ranks > gpus else (OTHERWISE, UNDER)
        yield Fault(name, what.fill(ranks=ranks, gpus=gpus), place)


def _node_count(case: _Case) -> Iterator[Fault]:
    """``--nnodes`` against the nodes of the job; fewer only where ``srun`` starts on all."""
    asked, said = case.allocation.nodes, case.world.nodes
    found = option_word(case.launch.launcher_words, *_COUNTS_NODES)
    if asked is None or said is None or found is None or said == asked or not case.alone:
        return
    if case.srun is not None and (stated(case.srun, "--nodes", "-N") or narrowed(case.srun)):
        return
    if (said > asked or case.srun is not None) and is_fixed(case.script, found[0]):
        what = NODES.fill(said=said, asked=asked)
        yield Fault(OTHERWISE, what, _place(found[0]))


def _visible(case: _Case) -> Iterator[Fault]:
    """``srun`` sets the variable for each task itself."""
    words = case.launch.launcher_words
    if case.srun is not None or not are_fixed(case.script, words, *_COUNTS_RANKS):
        return
    for what, span in hidden(case.script, case.launch, case.world.nproc):
        yield Fault(TOO_MANY, what, span)
