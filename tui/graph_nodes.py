"""The rows of a graph: all that the screen has to import of it."""

from __future__ import annotations

from medic.i18n import Text
from medic.records import dataclass

from .lines import Block, Tone

SIGNS = {"confirmed": "●", "live": "○", "dimmed": "×", "away": "·"}


@dataclass(frozen=True)
class Node:
    """One row. ``parent`` is an index into the rows, -1 at the top; ``detail`` a key of details."""

    parent: int
    depth: int
    mark: str
    text: Text
    tone: Tone = "plain"
    aside: Text | None = None
    detail: str = ""
    open: bool = False
    cause: str = ""


@dataclass(frozen=True)
class Graph:
    """All rows, parents before children, and what is told of each symptom; of a cause that is
    asked for when somebody looks at it."""

    nodes: tuple[Node, ...]
    details: dict[str, Block]
    leader: str = ""

    def cause_of(self, node: Node) -> str:
        """The cause of a row, of a remedy the one that it is against; "" where it is of none."""
        above = self.nodes[node.parent].cause if node.parent >= 0 else ""
        return node.cause or above
