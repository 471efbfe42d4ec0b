"""A node rank that a loop over hosts gives to every one of them: ``for h in …; do ssh $h "…"``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import PurePosixPath

from medic.facts import Launch
from medic.i18n import Text
from medic.run_config import Span

from .launchers import ALIASES
from .option_words import is_fixed, is_given, option_word
from .repeats import loops
from .script_text import ScriptText
from .world import world_of

_RANKS = {"torchrun": "--node-rank", "accelerate": "--machine-rank"}
_NODES = ("--nnodes", "--num-machines")
_SAME = Text(
    "the loop starts this command on one host after another, and {flag} is {rank} on each",
    "循环会在各台主机上依次启动此命令，而每台的 {flag} 都是 {rank}",
)


def same_rank_over_ssh(script: ScriptText, launch: Launch) -> Iterator[tuple[Text, Span]]:
    """The ranks of a static rendezvous (torch/distributed/run.py): two nodes of one rank never meet."""
    words, flag = launch.launcher_words, _RANKS.get(launch.launcher)
    said = option_word(words, flag) if flag is not None else None
    if flag is None or said is None or not said[1].isdecimal() or not is_fixed(script, said[0]):
        return
    backend = option_word(words, "--rdzv-backend")
    static = backend[1] == "static" if backend else not is_given(words, "--rdzv-backend")
    several = is_given(words, *_NODES) and world_of(launch).nodes != 1
    line = launch.span.line
    looped = any(first <= line <= last for first, last in loops(script))
    if static and several and looped and _on_several_hosts(launch):
        yield _SAME.fill(flag=flag, rank=said[1]), said[0].literal or said[0].span


def _on_several_hosts(launch: Launch) -> bool:
    """Whether ``ssh`` goes to a host that a variable names."""
    names = [PurePosixPath(word.value or "").name for word in launch.launcher_words]
    if "ssh" not in names:
        return False
    behind = launch.launcher_words[names.index("ssh") + 1 :]
    until = takewhile(lambda word: not _starts(word.value or "", launch), behind)
    return any("$" in word.raw for word in until)


def _starts(word: str, launch: Launch) -> bool:
    name = PurePosixPath(word).name
    return ALIASES.get(name, name) == launch.launcher
