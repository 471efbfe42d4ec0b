"""A job on several nodes whose ranks are to meet at a loopback address or interface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medic.facts import Launch
from medic.i18n import Text
from medic.text.patterns import regex

from .layout import ENDPOINT, LOCAL, LOOPBACK, Fault
from .option_words import set_once
from .script_text import ScriptText
from .slurm import Allocation
from .world import world_of

_EXPORTED = regex(r"(?m)^\s*export\s+(?:\w+=\S*\s+)*MASTER_ADDR\b")
_SRUN = regex(r"(?m)^\s*(?:\w+=\S*\s+)*srun\s(?!.*(?:-N ?1|--nodes[= ]1)\b)")
_INTERFACES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")
_LOOP = regex(r"^=?lo$")
_LOOP_INTERFACE = Text(
    "{name}={value}: the loopback interface reaches no other machine, and the run has {nodes} nodes",
    "{name}={value}：回环网卡到不了其他机器，而训练有 {nodes} 个节点",
)


def loopback_of_job(script: ScriptText, allocation: Allocation) -> Iterator[Fault]:
    """``export MASTER_ADDR=localhost`` in a job of several nodes whose commands ``srun`` starts."""
    found, nodes = set_once(script, "MASTER_ADDR"), allocation.nodes or 1
    if nodes <= 1 or found is None or not LOOPBACK.match(found[0]):
        return
    if _EXPORTED.search(script.text) and _SRUN.search(script.text):
        yield Fault(ENDPOINT, LOCAL.fill(address=found[0], nodes=nodes), found[1])


def loopback_interface(
    script: ScriptText, allocation: Allocation, launches: Sequence[Launch]
) -> Iterator[Fault]:
    """NCCL and gloo listen at the interface that is named (NCCL documentation: NCCL_SOCKET_IFNAME)."""
    counts = [allocation.nodes or 1, *(world_of(one).nodes or 1 for one in launches)]
    for name in _INTERFACES if max(counts) > 1 else ():
        found = set_once(script, name)
        if found is not None and _LOOP.match(found[0]):
            what = _LOOP_INTERFACE.fill(name=name, value=found[0], nodes=max(counts))
            yield Fault(ENDPOINT, what, found[1])
