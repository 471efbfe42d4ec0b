"""The graph view: walked by keys, searched, with what is told of the row under the cursor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import Screen

from medic.i18n import Text
from medic.text.safetext import columns, cut, one_line

from . import words_graph
from .graph_nodes import SIGNS, Graph
from .graph_rows import Shown
from .laid import RowsView
from .lines import Block, Row, Tone, line_rows, pad

RULE_OUT = "ruleout"
SHORT_ASIDE = 20  # columns: a word such as "almost certain" stays beside a long title


class GraphList(RowsView):
    """The rows around the cursor: only what fits is laid out."""

    def __init__(self, shown: Shown) -> None:
        super().__init__(id="graph-list")
        self.shown = shown
        self.top = 0
        self.drawn = False  # its first rows take a turn of the loop of their own

    def rows(self, width: int) -> list[Row]:
        if not self.drawn:
            return []
        height = max(1, self.size.height)
        shown = self.shown
        if not shown.visible:
            return [((f" {words_graph.NO_HIT}", "muted"),)]
        self.top = min(max(self.top, shown.at - height + 1), shown.at)
        part = shown.visible[self.top : self.top + height]
        return [self._row(i, width, here=i == shown.row) for i in part]

    def _row(self, i: int, width: int, *, here: bool) -> Row:
        node = self.shown.graph.nodes[i]
        depth = 0 if self.shown.search else node.depth
        fold = ("▾ " if i in self.shown.open else "▸ ") if i in self.shown.parents else "  "
        lead = " " + "  " * depth + fold + node.mark
        aside = f"  {one_line(str(node.aside))}" if node.aside is not None else ""
        space = width - columns(lead)
        kept = columns(aside) if columns(aside) <= min(SHORT_ASIDE, space // 3) else 0
        text = cut(one_line(str(node.text)), max(1, space - kept))
        tone: Tone = "cursor" if here else node.tone
        left = space - columns(text)
        aside = cut(aside, left) if left > 8 or kept else ""
        if here:
            return ((pad(lead + text + aside, width), tone),)
        return ((lead, tone), (text, tone), (aside, "muted"))

    def on_click(self, event: events.Click) -> None:
        if 0 <= self.top + event.y < len(self.shown.visible):
            self.shown.at = self.top + event.y
            screen = self.screen
            if isinstance(screen, GraphScreen):
                screen.redraw()


class Detail(RowsView):
    """What is told of the row under the cursor, as much as fits."""

    def __init__(self, shown: Shown) -> None:
        super().__init__(id="graph-detail")
        self.shown = shown
        self.page = 0
        self.drawn = False

    def rows(self, width: int) -> list[Row]:
        if not self.drawn:
            return []
        i = self.shown.row
        node = self.shown.graph.nodes[i] if i >= 0 else None
        block = self.shown.graph.details.get(node.detail) if node else None
        lines = block.lines if block else ()
        every = [row for line in lines for row in line_rows(line, width)]
        height = max(1, self.size.height)
        if len(every) <= height:
            return every
        pages = -(-len(every) // max(1, height - 1))
        first = self.page % pages * max(1, height - 1)
        more = words_graph.DETAIL_MORE.fill(n=self.page % pages + 1, pages=pages)
        return [*every[first : first + height - 1], ((str(more), "accent"),)]


class GraphHead(RowsView):
    """The title, or what is searched for."""

    def __init__(self, shown: Shown) -> None:
        super().__init__(id="graph-head")
        self.shown = shown
        self.typing = False

    def rows(self, width: int) -> list[Row]:
        shown = self.shown
        if self.typing or shown.search:
            asked = words_graph.SEARCH.fill(words=shown.search + ("▏" if self.typing else ""))
            found = words_graph.FOUND.fill(n=len(shown.visible) if shown.search else 0)
            return [((f" {one_line(str(asked))}", "strong"), (f"   {found}", "muted"))]
        legend = str(words_graph.LEGEND.fill(SIGNS))
        title = f" {words_graph.TITLE}"
        if columns(title) + columns(legend) + 3 > width:
            return [((cut(f" {legend}", width), "muted"),)]
        return [((title, "strong"), (f"   {legend}", "muted"))]


class GraphKeys(RowsView):
    """The keys of the view, or why the last one did nothing."""

    note: Text | None = None

    def rows(self, width: int) -> list[Row]:
        if self.note is not None:
            return [((cut(f" {self.note}", width), "warn"),)]
        cells: list[tuple[str, Tone]] = [(" ", "plain")]
        used = 1
        for key, text in words_graph.KEYS:
            size = columns(f"{key} {text}  ")
            if used + size > width:
                break
            cells += [(key, "accent"), (f" {text}  ", "plain")]
            used += size
        return [tuple(cells)]


class GraphScreen(Screen[str]):
    """Gives what to do, a /word with its argument, or "" when it was only looked at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "move(-9999)", show=False),
        Binding("end", "move(9999)", show=False),
        Binding("right,enter,space", "fold(True)", show=False),
        Binding("left", "fold(False)", show=False),
        Binding("slash", "search", show=False),
        Binding("c", "compare", show=False),
        Binding("x", "rule_out", show=False),
        Binding("d", "detail", show=False),
        Binding("f1", "help", show=False),
        Binding("escape,q,f7", "back", show=False),
    ]

    def __init__(self, graph: Graph, ask: Callable[[str], None] = lambda _: None) -> None:
        """``ask``: for what is told of a cause; ``take`` gets it."""
        super().__init__(id="graph")
        self.shown = Shown(graph)
        self.typing = False
        self._ask = ask
        self._asked: set[str] = set()
        self._drawn = False

    def on_mount(self) -> None:
        self._ask_for_row()
        self.call_after_refresh(self._draw, GraphList)

    def _draw(self, kind: type[GraphList | Detail]) -> None:
        """The rows of one part of the screen for the first time, then those of the next."""
        for view in self.query(kind):
            view.drawn = True
            view.refresh()
        if kind is GraphList:
            self.call_after_refresh(self._draw, Detail)

    async def on_screen_resume(self, event: events.ScreenResume) -> None:
        """What is composed takes a turn of the loop of its own, and so does, below, what is laid
        out; at the first time all has just been styled."""
        event.refresh_styles = self._drawn
        self._drawn = True
        await asyncio.sleep(0)

    async def on_resize(self) -> None:
        await asyncio.sleep(0)

    def _ask_for_row(self) -> None:
        row = self.shown.row
        cause = self.shown.graph.nodes[row].detail if row >= 0 else ""
        if cause and cause not in {*self.shown.graph.details, *self._asked}:
            self._asked.add(cause)
            self._ask(cause)

    def take(self, cause: str, block: Block) -> None:
        """What is told of a cause."""
        self.shown.graph.details[cause] = block
        self.query_one(Detail).retell()

    def compose(self) -> ComposeResult:
        yield GraphHead(self.shown)
        with Container(id="graph-body"):
            yield GraphList(self.shown)
            yield Detail(self.shown)
        yield GraphKeys(id="graph-keys")

    def redraw(self) -> None:
        head = self.query_one(GraphHead)
        head.typing = self.typing
        self.query_one(Detail).page = 0
        self.query_one(GraphKeys).note = None
        for view in (head, *self.query(GraphList), *self.query(Detail), *self.query(GraphKeys)):
            view.refresh()  # each has its place: to lay the screen out anew costs a third more
        self._ask_for_row()

    def on_key(self, event: events.Key) -> None:
        """While a search is typed every character is part of it."""
        if not self.typing:
            return
        event.stop()
        event.prevent_default()
        if event.key == "escape":
            self.typing, self.shown.search = False, ""
        elif event.key in ("enter", "down", "up"):
            self.typing = False
        elif event.key == "backspace":
            self.shown.search = self.shown.search[:-1]
        elif event.character and event.is_printable:
            self.shown.search += event.character
        self.shown.refresh()
        self.redraw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:  # noqa: ARG002
        """No key acts while a search is typed."""
        return not self.typing

    def action_move(self, by: int) -> None:
        self.shown.move(by)
        self.redraw()

    def action_page(self, way: int) -> None:
        self.action_move(way * max(1, self.query_one(GraphList).size.height - 1))

    def action_fold(self, wider: bool) -> None:
        if wider and self.shown.row in self.shown.open:
            wider = False
            self.shown.open.discard(self.shown.row)
            self.shown.refresh()
        else:
            self.shown.fold(wider=wider)
        self.redraw()

    def action_search(self) -> None:
        self.typing = True
        self.redraw()

    def action_detail(self) -> None:
        """The next page of what is told of the row."""
        self.query_one(Detail).page += 1
        self.query_one(Detail).retell()

    def action_compare(self) -> None:
        node = self.shown.graph.nodes[self.shown.row] if self.shown.row >= 0 else None
        cause = self.shown.graph.cause_of(node) if node is not None else ""
        if cause and cause != self.shown.graph.leader:
            self.dismiss(f"compare {self.shown.graph.leader} {cause}")
            return
        keys = self.query_one(GraphKeys)
        keys.note = words_graph.COMPARE_ANOTHER
        keys.retell()

    def action_rule_out(self) -> None:
        """It is not the cause under the cursor, says the user."""
        node = self.shown.graph.nodes[self.shown.row] if self.shown.row >= 0 else None
        cause = self.shown.graph.cause_of(node) if node is not None else ""
        if cause:
            self.dismiss(f"{RULE_OUT} {cause}")
            return
        keys = self.query_one(GraphKeys)
        keys.note = words_graph.RULE_OUT_WHAT
        keys.retell()

    def action_help(self) -> None:
        from .help_screen import HelpScreen

        self.app.push_screen(HelpScreen("graph"))

    def action_back(self) -> None:
        if self.shown.search:
            self.shown.search = ""
            self.shown.refresh()
            self.redraw()
        else:
            self.dismiss("")
