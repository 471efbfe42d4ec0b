"""Whether a command or file is written for a fork of its framework, or for older releases of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath

from medic.facts import Release
from medic.i18n import Text
from medic.records import dataclass
from medic.run_config import RunConfig

from ..config.pins import fits
from ..manner import Fork, Manner
from .key_names import normal

# So many names that a framework does not have, and nobody misspelt: another program's, or those of
# another release. One or two are a user's mistake as often.
STRANGE = 3
_SURE = 2  # names of a fork's own that one command does not have by mistake
_CALLED = Text(
    "{name} is an argument of {fork}; {framework} calls it {meant}",
    "{name} 是 {fork} 的参数；{framework} 中对应的是 {meant}",
)
_ONLY_THERE = Text(
    "{name} is an argument of {fork}; no other {framework} that medic knows has it",
    "{name} 是 {fork} 的参数；medic 所知的其他 {framework} 版本没有它",
)
# What follows where it is not the fork that runs.
ELSEWHERE = Text(
    "right there; anything else stops at it, or trains without the setting",
    "用的正是它则无误；否则会报错退出，或不按该设置训练",
)


@dataclass(frozen=True)
class Shown:
    """A fork that names or a path show; ``signs`` are those of the names, ``sure`` if there are
    several or the path shows it."""

    fork: Fork
    signs: tuple[str, ...]
    sure: bool

    @property
    def names(self) -> frozenset[str]:
        return frozenset(normal(n) for n in (*self.fork.signs, *self.fork.known))

    @property
    def switches(self) -> frozenset[str]:
        return frozenset(map(normal, self.fork.switches))

    def said(self, name: str, framework: str, meant: str = "") -> Text:
        """What is said of the one name that shows it."""
        what = _CALLED if meant else _ONLY_THERE
        return what.fill(name=name, fork=self.fork.title, framework=framework, meant=meant)


def shown(
    framework: Manner,
    names: Collection[str],
    releases: Mapping[str, Release],
    program: str = "",
    file: str = "",
) -> Shown | None:
    """The fork of a framework that most of the names, or a path, show; None if none does.

    ``names`` as ``normal`` writes them; ``program``: the path of what is started, ``file`` that of
    the script or configuration.
    """
    found = []
    for fork in framework.forks:
        if not any(_outside(n, spec, releases) for n, spec in fork.holds_in.items()):
            signs = tuple(one for one in map(normal, fork.signs) if one in names) if names else ()
            placed = bool(program or file) and _is_placed(fork, program, file)
            if signs or placed:
                found.append(Shown(fork, signs, placed or len(signs) >= _SURE))
    return max(found, key=lambda one: (len(one.signs), one.sure), default=None)


def forks_of(
    frameworks: Sequence[Manner], config: RunConfig, releases: Mapping[str, Release]
) -> Mapping[str, Shown]:
    """The frameworks of which surely a fork, or older releases, read the settings of a launch."""
    names: dict[str, set[str]] = {}
    for one in config.settings:
        names.setdefault(one.origin.framework, set()).add(one.path[-1])
    found = ((one.name, shown(one, names.get(one.name, ()), releases)) for one in frameworks)
    return {name: fork for name, fork in found if fork is not None and fork.sure}


def _outside(package: str, spec: str, releases: Mapping[str, Release]) -> bool:
    return package in releases and fits(spec, releases[package]) is False


def _is_placed(fork: Fork, program: str, file: str) -> bool:
    folders = {*PurePath(program).parts[:-1], *PurePath(file).parts[:-1]}
    ends = any(f"/{program}".endswith(f"/{one}") for one in fork.programs)
    return ends or not folders.isdisjoint(fork.folders)


def several(names: Sequence[str]) -> bool:
    """Whether so many strange names tell of another program than the framework's own release."""
    return len(names) >= STRANGE
