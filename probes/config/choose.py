"""Which of several files belong to the launch, and which are other configurations beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from .carriers import Stated


@dataclass(frozen=True, slots=True)
class Command:
    """A launch: what its launcher and its script state."""

    launcher: Stated | None
    script: Stated | None

    @property
    def stated(self) -> tuple[Stated, ...]:
        return tuple(s for s in (self.launcher, self.script) if s is not None)

    @property
    def mentions(self) -> frozenset[str]:
        return self.script.mentions if self.script else frozenset()


def the_command(commands: Sequence[Command], files: Sequence[Stated]) -> Command | None:
    """The launch that names one of the files, else the one that states most; a later one wins."""
    best: tuple[tuple[bool, int, int], Command] | None = None
    for i, command in enumerate(commands):
        names = any(_mentioned(file, command.mentions) for file in files)
        score = (names, sum(len(s.values) for s in command.stated), i)
        if best is None or score > best[0]:
            best = (score, command)
    return best[1] if best else None


def of_one_launch(
    files: Sequence[Stated], mentions: Iterable[str]
) -> tuple[list[Stated], list[tuple[Stated, Stated]]]:
    """(the files of the launch, (left out, the one read in its place)).

    Files that state the same things stand for different runs: of them the one stays that the
    command or another file names, else the one nearest to the root, else the newest. Files that
    the user named all belong to the launch.
    """
    named = {m for m in mentions}
    ordered = sorted(files, key=lambda file: _order(file, named))
    kept: list[Stated] = []
    left: list[tuple[Stated, Stated]] = []
    for file in ordered:
        rival = next((other for other in kept if _alternatives(file, other)), None)
        if rival is None:
            kept.append(file)
        else:
            left.append((file, rival))
    places = {id(file): i for i, file in enumerate(files)}
    return sorted(kept, key=lambda file: places[id(file)]), left


def _order(file: Stated, mentions: set[str]) -> tuple[bool, bool, int, float, str]:
    given = file.given
    depth = len(PurePath(file.name).parts)
    modified = given.modified if given else 0.0
    explicit = given is not None and given.named
    return (not explicit, not _mentioned(file, mentions), depth, -modified, file.name)


def _mentioned(file: Stated, mentions: Iterable[str]) -> bool:
    own = PurePath(file.name)
    for mention in mentions:
        parts = PurePath(mention.split("=")[-1]).parts
        if parts and parts[-1] == own.name:
            return True
    return False


def _alternatives(one: Stated, other: Stated) -> bool:
    if one.role != other.role or (one.given and other.given and one.given.named and other.given.named):
        return False
    shared = len(one.values.keys() & other.values.keys())
    return shared > 0 and shared * 2 >= min(len(one.values), len(other.values))
