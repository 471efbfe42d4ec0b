"""A launch of a Slurm job of several nodes that nothing starts on any node but the first."""

from __future__ import annotations

from collections.abc import Iterator

from medic.facts import Launch
from medic.i18n import Text
from medic.text.patterns import regex

from .layout import OTHERWISE, Fault
from .masked import COMMENT
from .script_text import ScriptText
from .slurm import Allocation

_LOCAL = ("torchrun", "accelerate")
# Programs that reach other nodes; whatever they start, the launch may be among it.
_REACHES = regex(
    r"(?<![\w-])(?:srun|ssh|pdsh|pssh|parallel-ssh|parallel|clush|mpirun|mpiexec|orterun|ibrun|aprun|"
    r"jsrun|prun|sbatch|ray|xargs)(?![\w-])|\bflux\s+run\b"
)
_GIVEN = regex(r"--(?:node|machine)[_-]rank[= ][\"']?\$\{?\d")
_ONLY_HERE = Text(
    "the job has {nodes} nodes, but its script runs on the first of them only, and nothing (srun) "
    "starts this command on the others",
    "作业有 {nodes} 个节点，但脚本只在第一个节点上执行，没有用 srun 在其他节点上启动这条命令",
)


def only_first_node(script: ScriptText, launch: Launch, allocation: Allocation) -> Iterator[Fault]:
    """sbatch manual: the script runs on the first node of the allocation. torchrun and accelerate
    start processes on their own node only; the launcher of DeepSpeed goes to others by itself.
    """
    nodes, place = allocation.nodes, allocation.place("nodes")
    if launch.launcher not in _LOCAL or nodes is None or nodes < 2 or place is None:
        return
    if "deepspeed_multinode_launcher" in script.text or _reached(script):
        return
    if _GIVEN.search(" ".join(word.raw for word in launch.launcher_words)):
        return  # started for each node by what hands the script its rank
    yield Fault(OTHERWISE, _ONLY_HERE.fill(nodes=nodes), launch.launcher_words[0].span)


def _reached(script: ScriptText) -> bool:
    return any(_reaches(*pair) for pair in zip(script.lines, script.code, strict=True))


def _reaches(line: str, code: str) -> bool:
    """Whether a line names such a program; quoted text counts, a comment does not."""
    end = code.find(COMMENT)
    return _REACHES.search(line if end < 0 else line[:end]) is not None
