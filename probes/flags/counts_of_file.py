"""Counts of accelerate's configuration file against what the batch script asks of Slurm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from medic.facts import Launch
from medic.run_config import RunConfig, Setting, Span
from medic.text.patterns import regex

from .counts import count_of
from .layout import NODES, OTHERWISE, OVER, TOO_MANY, UNDER, Fault
from .option_words import is_fixed, is_given, option_word
from .script_text import ScriptText
from .slurm import Allocation, narrowed, srun_words, stated

_FILE, _RANKS, _MACHINES = "--config-file", "num_processes", "num_machines"
_GIVEN = ("--num-processes", "-n")
_HIDES = regex(r"\b(?:CUDA|HIP|ROCR)_VISIBLE_DEVICES=")


def of_file(
    script: ScriptText, launch: Launch, allocation: Allocation, config: RunConfig | None
) -> Iterator[Fault]:
    """num_processes are those of all num_machines together (accelerate commands/launch.py); an
    option of the command comes before the file."""
    words = launch.launcher_words
    named = option_word(words, _FILE)
    if launch.launcher != "accelerate" or config is None or named is None:
        return
    total, machines = (_of(config, key, named[1]) for key in (_RANKS, _MACHINES))
    asked, gpus = allocation.nodes, allocation.gpus_per_node
    if is_given(words, "--num-machines"):
        nodes = count_of((option_word(words, "--num-machines") or (None, ""))[1])
    else:
        nodes = _whole(machines) if machines is not None else 1
    if nodes is None:
        return
    if machines is not None and not is_given(words, "--num-machines"):
        yield from _other_nodes(launch, machines, nodes, asked)
    ranks, place = _whole(total), _place(total)
    if is_given(words, *_GIVEN):
        found = option_word(words, *_GIVEN)
        if is_given(words, "--num-machines") or found is None or not is_fixed(script, found[0]):
            return  # told where nothing of it stands in a file
        ranks, place = count_of(found[1]), found[0].literal or found[0].span
    if not ranks or not gpus or is_given(words, "--cpu"):
        return
    if ranks == gpus * (asked or nodes) or ranks % nodes or _HIDES.search(script.text):
        return  # as the job has them; what does not divide is told of its own
    if place is not None and ranks // nodes != gpus:
        name, what = (TOO_MANY, OVER) if ranks // nodes > gpus else (OTHERWISE, UNDER)
        yield Fault(name, what.fill(ranks=ranks // nodes, gpus=gpus), place)


def _other_nodes(
    launch: Launch, machines: Setting, said: int, asked: int | None
) -> Iterator[Fault]:
    """Fewer nodes than the job's only where ``srun`` starts on all of them."""
    srun, place = srun_words(launch), _place(machines)
    if srun is not None and (stated(srun, "--nodes", "-N") or narrowed(srun)):
        return
    if asked is None or place is None or said == asked:
        return
    if said > asked or srun is not None:
        yield Fault(OTHERWISE, NODES.fill(said=said, asked=asked), place)


def _of(config: RunConfig, key: str, file: str) -> Setting | None:
    """What the file that the command names gives a key."""
    found = config.setting(key, "accelerate")
    span = found.origin.span if found is not None else None
    return found if span is not None and PurePath(span.file).name == PurePath(file).name else None


def _place(setting: Setting | None) -> Span | None:
    return setting.origin.span if setting is not None else None


def _whole(setting: Setting | None) -> int | None:
    value = setting.value if setting is not None else None
    return value if type(value) is int and value > 0 else None
