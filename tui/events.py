"""What the consultation tells the screen. Plain data: the screen decides how it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from medic.i18n import Text
from medic.records import dataclass

from .lines import Block
from .offers import Offer

if TYPE_CHECKING:
    from medic.case.collect import Case

    from .graph_nodes import Graph


@dataclass(frozen=True)
class Choices:
    """Numbered choices that wait for an answer. The value "" stands for "I don't know"."""

    kind: Literal[
        "answer", "meaning", "again", "run", "walk", "complaint", "after", "restore", "held"
    ]
    name: str
    options: tuple[tuple[str, Text], ...]
    how: Text | None = None

    def place(self, *values: str) -> int | None:
        """The index of the first option with one of these values."""
        return next((i for i, (value, _) in enumerate(self.options) if value in values), None)


# In place of a chance: it is wrong, of the run or of its settings, and the cause of nothing seen; or
# it is one of many that may be.
WRONG, WRONG_SET, OPEN = "wrong", "wrong-set", "open"


@dataclass(frozen=True)
class Suspect:
    """One cause as the suspects line shows it; ``trend``: 1 gained, -1 lost by the last finding."""

    title: Text
    code: str
    word: str
    chance: float
    trend: int = 0


@dataclass(frozen=True)
class Told:
    """A block of the transcript; a block with the same key is replaced.

    ``top``: what follows is read from here on, where it does not fit the screen. ``passing``:
    another with its key takes its place before anything is asked.
    """

    block: Block
    key: str = ""
    top: bool = False
    passing: bool = False


@dataclass(frozen=True)
class Asked:
    """The choices that are open now, or None."""

    choices: Choices | None


@dataclass(frozen=True)
class Suspected:
    """Who is suspected, best first; None while nothing is known. ``none``: it is none of them."""

    suspects: tuple[Suspect, ...] | None
    none: bool = False


@dataclass(frozen=True)
class Working:
    """What goes on in the background; ``total`` 0 where no count is known, None when it is over."""

    what: Text | None
    done: int = 0
    total: int = 0
    stoppable: bool = False


@dataclass(frozen=True)
class Previewed:
    """A change to show in full before anything is written."""

    offer: Offer


@dataclass(frozen=True)
class Given:
    """The case that is looked at now."""

    case: Case


@dataclass(frozen=True)
class Graphed:
    """The graph view over what is believed now."""

    graph: Graph


@dataclass(frozen=True)
class Detailed:
    """What is told of a cause of the graph."""

    cause: str
    block: Block


@dataclass(frozen=True)
class Stands:
    """A job has ended: what there is for an action to work on, and the id of the kept session.
    ``problem``: why not all of it is kept."""

    has: frozenset[str]
    session: str = ""
    problem: Text | None = None


Event = Told | Asked | Suspected | Working | Previewed | Given | Graphed | Detailed | Stands
