"""Machines that a launch counts and does not tell apart, or that Slurm takes back."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Launch
from medic.i18n import Text

from .counts import count_of
from .layout import NODE_RANK, OTHERWISE, Fault
from .option_words import is_fixed, is_given, option_word
from .script_text import ScriptText
from .slurm import Allocation

_NO_MACHINE = Text(
    "--num_machines is {nodes}, and neither --machine_rank nor --main_process_ip is given",
    "--num_machines 为 {nodes}，却没有给出 --machine_rank 和 --main_process_ip",
)
_FEWER_TASKS = Text(
    "--ntasks is {tasks}, and --nodes is {nodes}: Slurm gives a node for each task, {tasks} in all",
    "--ntasks 为 {tasks}，而 --nodes 为 {nodes}：Slurm 只会分配 {tasks} 个节点，每个任务一个",
)
# What tells the rank or the address instead.
_TOLD = ("--machine-rank", "--main-process-ip", "--config-file", "--rdzv-backend", "--rdzv-conf",
         "--deepspeed-hostfile", "--cpu", "--use-mpi")  # fmt: skip


def machines(script: ScriptText, launch: Launch) -> Iterator[Fault]:
    """accelerate utils/launch.py prepare_multi_gpu_env: ``int(args.machine_rank)``, which is None."""
    words = launch.launcher_words
    found = option_word(words, "--num-machines")
    nodes = count_of(found[1]) if found is not None else None
    if launch.launcher != "accelerate" or found is None or not nodes or nodes < 2:
        return
    if not is_given(words, *_TOLD) and is_fixed(script, found[0]) and "_RANK" not in script.text:
        what = _NO_MACHINE.fill(nodes=nodes)
        yield Fault(NODE_RANK, what, found[0].literal or found[0].span)


def fewer_tasks(allocation: Allocation) -> Iterator[Fault]:
    """Slurm: "can't run 2 processes on 4 nodes, setting nnodes to 2" (sbatch, of --ntasks)."""
    tasks, nodes = allocation.number("ntasks"), allocation.nodes
    place = allocation.place("ntasks")
    if tasks and nodes and tasks < nodes and place is not None:
        yield Fault(OTHERWISE, _FEWER_TASKS.fill(tasks=tasks, nodes=nodes), place)
