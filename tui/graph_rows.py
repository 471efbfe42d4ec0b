"""The rows of the graph view: which are unfolded, which a search finds, where the cursor is."""

from __future__ import annotations

from medic.i18n import Text

from .graph_nodes import Graph


class Shown:
    """Which rows are unfolded, which match a search, and where the cursor is."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.open = {i for i, node in enumerate(graph.nodes) if node.open}
        self.parents = {node.parent for node in graph.nodes}
        self.search = ""
        self.at = 0
        self.visible: list[int] = []
        self.refresh()

    def refresh(self) -> None:
        """Works out the visible rows; the cursor stays on its row where that is still there."""
        now = self.visible[self.at] if self.visible else 0
        nodes = self.graph.nodes
        self.visible = [i for i in range(len(nodes)) if self._seen(i)]
        if self.search:
            wanted = self.search.lower()
            self.visible = [i for i, n in enumerate(nodes) if n.cause and _says(n.text, wanted)]
            first: dict[str, int] = {}
            for i in self.visible:
                first.setdefault(nodes[i].cause, i)
            self.visible = sorted(first.values())
        self.at = self.visible.index(now) if now in self.visible else 0

    def _seen(self, i: int) -> bool:
        parent = self.graph.nodes[i].parent
        while parent >= 0:
            if parent not in self.open:
                return False
            parent = self.graph.nodes[parent].parent
        return True

    @property
    def row(self) -> int:
        return self.visible[self.at] if self.visible else -1

    def move(self, by: int) -> None:
        self.at = max(0, min(len(self.visible) - 1, self.at + by))

    def fold(self, *, wider: bool) -> None:
        """Unfolds the row, or folds it; a folded one goes to its parent."""
        i = self.row
        if i < 0 or self.search:
            return
        parent = self.graph.nodes[i].parent
        if wider and i in self.parents:
            self.open.add(i)
        elif not wider and i in self.open:
            self.open.discard(i)
        elif not wider and parent >= 0:
            self.at = self.visible.index(parent)
        self.refresh()


def _says(text: object, wanted: str) -> bool:
    return isinstance(text, Text) and (wanted in text.en.lower() or wanted in text.zh)
