"""What the shell that medic runs in has set of the variables for which a script has a default.

``NNODES=${NNODES:-1}`` asks its caller. Only names of ranks, nodes, addresses and ports are looked
up, and only plain values are taken: nothing else of an environment belongs into a finding.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from medic.text.patterns import regex

# What schedulers, operators of clusters and torchrun call the places of a rank.
OF_THE_WORLD = regex(
    r"^(?:SLURM|PBS|LSB|OMPI|PMI|PET|MLP|KUBERNETES)_\w+$|"
    r"^(?:\w+_)?(?:N_?NODES?|NUM_NODES?|NODES|NODE_COUNT|NUM_MACHINES|WORKER_NUM|WORLD_SIZE|NODE_?RANK|"
    r"MACHINE_RANK|RANK|LOCAL_RANK|NODE_ID|MASTER(?:_ADDRESS|_IP|_HOST)?|ADDR|PORT|"
    r"NPROC(?:_PER_NODE)?|GPUS?_PER_NODE|NUM_GPUS|N_?GPUS|NUM_PROCESSES)$"
)
_PLAIN = regex(r"^[A-Za-z0-9][\w.:-]{0,252}$")


def given(name: str) -> str | None:
    """The value of such a variable; None where it is not set, empty, or not plain."""
    value = os.environ.get(name, "") if OF_THE_WORLD.match(name) else ""
    return value if _PLAIN.match(value) else None


# Who runs and where: names whose values are no paths, and what says where a shell is, not a script.
_PERSONS = ("USER", "LOGNAME")
_OF_THE_SHELL = frozenset(("PWD", "OLDPWD", "SHELL", "_"))
_PATH = regex(r"^/[\w./@+-]{1,1024}$")


def places_of_this_shell() -> Mapping[str, str]:
    """What a script that is started from this shell finds set: the paths that one variable holds
    alone (HOME, TMPDIR, what a cluster sets), the user's name, and the folder, which is ``.``."""
    found = {name: value for name, value in os.environ.items() if _PATH.match(value)}
    persons = {name: os.environ.get(name, "") for name in _PERSONS}
    found |= {name: value for name, value in persons.items() if _PLAIN.match(value)}
    kept = {name: value for name, value in found.items() if name not in _OF_THE_SHELL}
    return {**kept, "PWD": "."}
