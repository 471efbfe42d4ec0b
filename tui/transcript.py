"""The talk: blocks one under another, each laid out at the width it gets."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.message import Message

from medic.i18n import Lang, current

from .laid import RowsView
from .lines import Block, Row, plain_text, rows

MAX_BLOCKS = 600  # beyond this the oldest go: the screen stays quick in a long session


class BlockView(RowsView):
    """One block. Its rows are kept until the width or the language changes."""

    def __init__(self, block: Block, number: int = 0) -> None:
        super().__init__()
        self.block = block
        self.number = number
        self._laid: tuple[int, Lang, list[Row]] | None = None

    def rows(self, width: int) -> list[Row]:
        kept = self._laid
        if kept is None or kept[:2] != (width, current()):
            kept = (width, current(), rows(self.block, width, self.number))
            self._laid = kept
        return kept[2]

    def take(self, block: Block) -> None:
        self.block, self._laid = block, None
        self.retell()


class Transcript(VerticalScroll):
    """Follows the talk to its end unless the user scrolled up."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self._keyed: dict[str, BlockView] = {}
        self._codes = 0
        self._head: BlockView | None = None  # where reading begins; None: at the end
        self._follow = True
        self._more = False

    class Below(Message):
        """Whether there is something to read below the screen."""

        def __init__(self, more: bool) -> None:
            super().__init__()
            self.more = more

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._follow = new_value >= self.max_scroll_y
        self._tell_more()

    def _tell_more(self) -> None:
        more = self.scroll_y < self.max_scroll_y
        if more != self._more:
            self._more = more
            self.post_message(self.Below(more))

    def on_resize(self) -> None:
        """The same is read on at the size that the screen has now."""
        self.call_after_refresh(self._keep_in_sight)

    def moved(self) -> None:
        """The reader scrolled: nothing is brought into sight but what he chose."""
        self._head = None

    def on_mouse_scroll_up(self) -> None:
        self.moved()

    def on_mouse_scroll_down(self) -> None:
        self.moved()

    def to_end(self) -> None:
        """What comes next is followed to its end."""
        self._head = None
        self._follow = True
        self.scroll_end(animate=False)

    def add(self, block: Block, key: str = "", *, top: bool = False) -> None:
        """Shows a block; one with a known key replaces the earlier one in its place.

        From a block with ``top`` on, the talk is shown from there if it does not fit the screen.
        """
        if key and key in self._keyed:
            self._keyed[key].take(block)
            return
        if block.code:
            self._codes += 1
        view = BlockView(block, self._codes if block.code else 0)
        if key:
            self._keyed[key] = view
        self.mount(view)
        self._drop_oldest()
        if top:
            self._head = view
        self.call_after_refresh(self._keep_in_sight)

    def _keep_in_sight(self) -> None:
        """Scrolls to the end, or to where reading begins if the rest does not fit."""
        head = self._head
        if head is not None and head.is_attached:
            start = head.virtual_region.y
            if self.virtual_size.height - start > self.size.height:
                self.scroll_to(y=start, animate=False)
                self.call_after_refresh(self._tell_more)
                return
        if self._follow:
            self.scroll_end(animate=False)
        self.call_after_refresh(self._tell_more)

    def _drop_oldest(self) -> None:
        views = self.query(BlockView)
        if len(views) > MAX_BLOCKS:
            for view in list(views)[: len(views) - MAX_BLOCKS]:
                view.remove()

    def code(self, number: int | None = None) -> str | None:
        """The text of a numbered block of code, the last one without a number."""
        coded = [v for v in self.query(BlockView) if v.number]
        if number is None:
            return coded[-1].block.code if coded else self._last_said()
        return next((v.block.code for v in coded if v.number == number), None)

    def _last_said(self) -> str | None:
        said = [v for v in self.query(BlockView) if v.block.who == "medic"]
        return plain_text([(said[-1].block, 0)]) if said else None

    def whole(self) -> str:
        """All that was said, as plain text."""
        return plain_text([(v.block, v.number) for v in self.query(BlockView)])

    def retell(self) -> None:
        for view in self.query(BlockView):
            view.retell()
