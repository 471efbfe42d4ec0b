"""Whether a command's flags are those of a fork, or of other releases than the known ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from medic.facts import Launch, Release
from medic.records import replace

from .families import Given
from .flag_tables import Framework, Table
from .forks import Shown, several, shown
from .key_names import normal
from .own_programs import path_of

_UNDERSCORED = 3  # names of several words that one parser takes so


def fork_of(
    launch: Launch,
    flags: Sequence[Given],
    framework: Framework,
    releases: Mapping[str, Release],
    file: str,
) -> Shown | None:
    """The fork that the flags of a launch, the path of its program or that of the script show."""
    names = {normal(one.name) for one in flags}
    return shown(framework, names, releases, path_of(launch), file)


def lone_sign(flags: Sequence[Given], table: Table) -> Given | None:
    """The one flag that shows a fork; of several, or beside its path, nothing is in doubt."""
    fork = table.fork
    if fork is None or fork.sure:
        return None
    own = without_fork(table)
    signs = (one for one in flags if normal(one.name) in fork.signs)
    return next((one for one in signs if not own.knows(one.name)), None)


def without_fork(table: Table) -> Table:
    """What the framework itself knows."""
    names = table.fork.names if table.fork is not None else frozenset()
    return replace(table, fork=None, kinds=table.kinds - names)


def of_other_release(used: Collection[str], table: Table, *, whole: bool) -> bool:
    """Whether so many names are strange to the framework's own program that the command is written
    for another release of it, or for a fork, which may have had a name that another framework has
    now. A script of one's own with the framework's parser has flags of its own in the same way.
    """
    if table.fork is not None:
        return True
    strange = [n for n in used if not table.knows(n) and not table.meant_by(n)]
    return (table.closed or whole) and several(strange)


def in_underscores(flags: Sequence[Given], table: Table) -> bool:
    """Whether a fork's parser has underscores where the framework's has dashes."""
    if table.fork is not None and table.fork.fork.underscores:
        return True
    known = [one.name for one in flags if table.dashes and table.knows(one.name)]
    under, dashed = (sum(sign in name for name in known) for sign in "_-")
    return under >= _UNDERSCORED and under > dashed
