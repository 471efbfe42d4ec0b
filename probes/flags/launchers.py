"""Which words of a command belong to a launcher, and how its options are spelt.

The option lists are those of torch/distributed/run.py, deepspeed/launcher/runner.py,
accelerate/commands/launch.py and of the manuals of Slurm, Open MPI and coreutils.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Launcher:
    """A program that starts another. ``flags`` take no value, ``several`` more than one."""

    name: str
    flags: frozenset[str] = frozenset()
    several: Mapping[str, int] = frozenset and __import__("types").MappingProxyType({})
    script: bool = False  # the first word that is no option is the training script
    module: tuple[str, ...] = ()  # options that make it a module
    glued: bool = False  # short options carry their value (-N2) and take one otherwise
    optional: bool = True  # an option that is not listed takes a value


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())
