"""Variables that Slurm sets from a script's own ``#SBATCH`` lines."""

from __future__ import annotations

import re

from medic.syntax.shell_atoms import Atom, Variable
from medic.text.patterns import regex

_LINE = regex(
    rb"^#SBATCH[ \t]+(?:--([a-z-]+)(?:=|[ \t]+)|-([Nn])[ \t]*)([\w.:]*?)(\d+)[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
_NAMES = {
    b"nodes": ("SLURM_NNODES", "SLURM_JOB_NUM_NODES"),
    b"N": ("SLURM_NNODES", "SLURM_JOB_NUM_NODES"),
    b"ntasks": ("SLURM_NTASKS", "SLURM_NPROCS"),
    b"n": ("SLURM_NTASKS", "SLURM_NPROCS"),
    b"ntasks-per-node": ("SLURM_NTASKS_PER_NODE",),
    b"gpus-per-node": ("SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"),
    b"gres": ("SLURM_GPUS_ON_NODE",),
    b"cpus-per-task": ("SLURM_CPUS_PER_TASK",),
}


def slurm_variables(body: bytes) -> dict[str, Variable]:
    """Name -> number, for what is a plain number; the first line counts."""
    found: dict[str, Variable] = {}
    for line in _LINE.finditer(body):
        for name in _NAMES.get(line.group(1) or line.group(2), ()):
            atom = Atom(line.group(4).decode(), line.start(4), line.end(4))
            found.setdefault(name, Variable((atom,)))
    return found
