"""The address at which the ranks of a Slurm job meet, as its script exports it."""

from __future__ import annotations

from collections.abc import Iterator

from medic.patterns import regex

from .layout import ENDPOINT, LOCAL, LOOPBACK, Fault
from .option_words import set_once
from .script_text import ScriptText
from .slurm import Allocation

_EXPORTED = regex(r"(?m)^\s*export\s+(?:\w+=\S*\s+)*MASTER_ADDR\b")
_SRUN = regex(r"(?m)^\s*(?:\w+=\S*\s+)*srun\s(?!.*(?:-N ?1|--nodes[= ]1)\b)")


def loopback_of_job(script: ScriptText, allocation: Allocation) -> Iterator[Fault]:
    """``export MASTER_ADDR=localhost`` in a job of several nodes whose commands ``srun`` starts."""
    found, nodes = set_once(script, "MASTER_ADDR"), allocation.nodes or 1
    if nodes <= 1 or found is None or not LOOPBACK.match(found[0]):
        return
    if _EXPORTED.search(script.text) and _SRUN.search(script.text):
        yield Fault(ENDPOINT, LOCAL.fill(address=found[0], nodes=nodes), found[1])
