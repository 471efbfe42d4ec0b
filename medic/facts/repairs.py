"""Exact repairs of what a file says: only the probe that saw the fault knows them.

A place is the span of a key, of its value, or of a flag's word. ``key`` is the name that stands
there by now, in any spelling; a step that finds another one is refused.
"""

from __future__ import annotations

from medic.i18n import Text
from medic.records import dataclass, field
from medic.run_config import Change, Edit, Origin, Scalar, Span, Syntax


@dataclass(frozen=True)
class Renamed:
    """The key or flag gets the name ``name``, spelt as the old one is.

    Its value stays, or becomes ``value``.
    """

    place: Span
    syntax: Syntax
    key: str
    name: str
    value: Scalar = None


@dataclass(frozen=True)
class Rewritten:
    """The key or flag gets another value. False takes out a flag that stands alone."""

    place: Span
    syntax: Syntax
    key: str
    value: Scalar


@dataclass(frozen=True)
class Removed:
    """The key or flag goes, with its value."""

    place: Span
    syntax: Syntax
    key: str


@dataclass(frozen=True)
class Dropped:
    """The first of two equal keys goes, with its value; ``twin`` is the key that stays.

    The tree of the file holds only the last of them.
    """

    place: Span
    value: Span
    twin: Span
    syntax: Syntax


@dataclass(frozen=True)
class Added:
    """A key that is not there yet: its path in the file of ``beside``, or the flag as written."""

    beside: Origin
    path: tuple[str, ...]
    value: Scalar


@dataclass(frozen=True)
class Respelt:
    """Edits of a script. ``joins``: they make one command or word of what the shell takes for
    several, or a command of what is none. ``parts``: they make two commands of one.
    """

    edits: tuple[Edit, ...]
    joins: bool = False
    parts: bool = False


Step = Renamed | Rewritten | Removed | Dropped | Added | Respelt


@dataclass(frozen=True)
class Repair:
    """All steps and changes of canonical fields together, or none. ``why``: one line for the user.

    ``safe``: the run after it is the one that was written down.
    """

    steps: tuple[Step, ...]
    safe: bool
    why: Text
    changes: tuple[Change, ...] = field(default_factory=tuple)
