"""The talk: blocks one under another as rows. Only what is on the screen is drawn."""

from __future__ import annotations

from itertools import accumulate
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from medic.text.safetext import columns

from .lines import TONES, Block, Row, Tone, plain_text
from .said_rows import Said

MAX_BLOCKS = 600  # beyond these the oldest go: the screen stays quick in a long session
MAX_ROWS = 2000


class Transcript(ScrollView):
    """Follows the talk to its end unless the user scrolled up."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"tone-{tone}" for tone in TONES}
    can_focus = False

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self._said: list[Said] = []
        self._keyed: dict[str, Said] = {}
        self._codes = 0
        self._rows: list[Row] = []
        self._starts: dict[Said, int] = {}
        self._drawn: dict[int, Strip] = {}
        self._styles: dict[Tone, Style] = {}
        self._head: Said | None = None  # where reading begins; None: at the end
        self._first: Said | None = None  # the first thing said since the reader did something
        self._ended = True
        self._follow = True
        self._out: tuple[bool, bool] = (False, False)
        self._asked: Said | None = None  # the question that was told last

    class Out(Message):
        """Whether there is something unread above the screen, or anything below it."""

        def __init__(self, above: bool, below: bool) -> None:
            super().__init__()
            self.above, self.below = above, below

    # --- what is said -------------------------------------------------------------------

    def add(self, block: Block, key: str = "", *, top: bool = False, first: bool = False) -> None:
        """Shows a block; one with a known key replaces the earlier one in its place. One that is
        the ``first`` stands above all that was said: it pushes no question out of sight.

        From the first block with ``top`` on, the talk is shown from there if it does not fit the
        screen: what is told later does not push it away.
        """
        if key and key in self._keyed:
            self._keyed[key].take(block)
            self._lay()
            return
        if block.code:
            self._codes += 1
        one = Said(block, self._codes if block.code else 0)
        if block.options != (0, 0):
            self._asked = one
        if key:
            self._keyed[key] = one
        self._said.insert(0 if first else len(self._said), one)
        if top and self._head is None:
            self._head = one
        if self._ended:
            self._first, self._ended = one, False
        self._lay()

    def code(self, number: int | None = None) -> str | None:
        """The text of a numbered block of code, the last one without a number."""
        coded = [one for one in self._said if one.number]
        if number is None:
            return coded[-1].block.code if coded else self._last_said()
        return next((one.block.code for one in coded if one.number == number), None)

    def _last_said(self) -> str | None:
        said = [
            one
            for one in self._said
            if one.block.who == "medic" and any(line.tone != "muted" for line in one.block.lines)
        ]  # not what became of a key
        return plain_text([(said[-1].block, 0)]) if said else None

    def whole(self) -> str:
        """All that was said, as plain text."""
        return plain_text([(one.block, one.number) for one in self._said])

    def retell(self) -> None:
        """All is laid out anew: the language or the keys have changed."""
        for one in self._said:
            one.take(one.block)
        self._lay()

    # --- what is asked ------------------------------------------------------------------

    def waits(self) -> None:
        """A question waits: where it and what was told before it do not fit, what can be told in
        short is. It is in sight, one that is higher than the screen from its beginning; but what is
        to be done whatever it is answered is read first."""
        start = self._starts.get(self._first, 0) if self._first is not None else 0
        if len(self._rows) - start > self.size.height > 0:
            told = self._said[self._said.index(self._first) :] if self._first in self._said else []
            for one in told:
                one.shorten()
            self._lay()
        if self._head is not None and any(one.block.beside for one in self._said_last()):
            return
        self._head = self._asked
        self._follow = True
        self._keep_in_sight()

    def _said_last(self) -> list[Said]:
        """What was said from where reading begins."""
        return self._said[self._said.index(self._head) :] if self._head in self._said else []

    # --- where it is read ---------------------------------------------------------------

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._follow = new_value >= self.max_scroll_y
        self._tell_out()

    def _tell_out(self) -> None:
        start = self.scroll_y if self._first is None else self._starts.get(self._first, 0)
        out = (start < self.scroll_y, self.scroll_y < self.max_scroll_y)
        if out != self._out:
            self._out = out
            self.post_message(self.Out(*out))

    def on_resize(self) -> None:
        """The same is read on at the size that the screen has now."""
        self._lay()

    def moved(self) -> None:
        """The reader scrolled: nothing is brought into sight but what he chose."""
        self._head, self._first = None, None

    def on_mouse_scroll_up(self) -> None:
        self.moved()

    def on_mouse_scroll_down(self) -> None:
        self.moved()

    def to_end(self) -> None:
        """What comes next is followed to its end."""
        self._first, self._ended = None, True
        self.show_end()

    def show_end(self) -> None:
        """The end is in sight, whatever was to be read from its top."""
        self._head = None
        self._follow = True
        self.scroll_to(y=self.max_scroll_y, animate=False)
        self._tell_out()

    def _keep_in_sight(self) -> None:
        """Scrolls to the end, or to where reading begins if the rest does not fit."""
        start = self._starts.get(self._head) if self._head is not None else None
        if start is not None and len(self._rows) - start > self.size.height:
            self.scroll_to(y=start, animate=False)
        elif self._follow:
            self.scroll_to(y=self.max_scroll_y, animate=False)
        self._tell_out()

    # --- rows ---------------------------------------------------------------------------

    def _lay(self) -> None:
        """All blocks one under another at the width there is; the oldest go where they are many."""
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        laid = [one.rows(width) for one in self._said[-MAX_BLOCKS:]]
        behind = list(accumulate(len(found) for found in reversed(laid)))
        kept = max(1, sum(count <= MAX_ROWS for count in behind))
        self._said, laid = self._said[-kept:], laid[-kept:]
        starts = accumulate((len(found) for found in laid), initial=0)
        self._starts = dict(zip(self._said, starts, strict=False))
        self._rows = [row for found in laid for row in found]
        self._drawn.clear()
        self.virtual_size = Size(width, len(self._rows))
        self._refresh_scrollbars()  # else nothing scrolls before the next refresh
        self._keep_in_sight()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn.clear()
        self._styles.clear()

    def selection_updated(self, selection: Selection | None) -> None:
        super().selection_updated(selection)
        self._drawn.clear()

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if at >= len(self._rows):
            return Strip.blank(width, self._style("plain"))
        if at not in self._drawn:
            self._drawn[at] = self._draw(at, width)
        return self._drawn[at]

    def _draw(self, at: int, width: int) -> Strip:
        style = self._style("plain")
        segments = [Segment(text, self._style(tone)) for text, tone in self._rows[at] if text]
        strip = Strip(segments).adjust_cell_length(width, style)
        span = self.text_selection.get_span(at) if self.text_selection else None
        if span is not None:
            strip = self._selected(strip, *span)
        return strip.apply_offsets(0, at)

    def _style(self, tone: Tone) -> Style:
        if tone not in self._styles:
            self._styles[tone] = self.get_component_rich_style(f"tone-{tone}")
        return self._styles[tone]

    def _selected(self, strip: Strip, start: int, end: int) -> Strip:
        """The row with its characters from ``start`` to ``end`` selected; -1: to the end."""
        text = strip.text
        first = columns(text[:start])
        last = strip.cell_length if end == -1 else columns(text[:end])
        before, inside, after = strip.divide([first, last, strip.cell_length])
        style = self.screen.get_component_rich_style("screen--selection")
        return Strip.join([before, inside.apply_style(style), after])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        lines = ("".join(text for text, _ in row) for row in self._rows)
        return selection.extract("\n".join(lines)), "\n"
