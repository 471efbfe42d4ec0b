"""Text that is laid out anew at each width: wrapped by columns, never by markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from textual.content import Content
from textual.css.styles import RulesMap
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widget import Widget

from .lines import TONES, Row


def content_of(rows: Iterable[Row]) -> Content:
    """Rows as literal text with spans; a tone is a component class of the same name."""
    lines = [
        Content.assemble(*((text, f".tone-{tone}") for text, tone in row if text)) for row in rows
    ]
    return Content("\n").join(lines)


class LaidOut(Visual):
    """A visual made by a function of the width in columns."""

    def __init__(self, lay: Callable[[int], Content]) -> None:
        self.lay = lay

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        return self.lay(width).render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:  # noqa: ARG002
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:  # noqa: ARG002
        return self.lay(width).plain.count("\n") + 1 if width > 0 else 1


class RowsView(Widget):
    """A widget whose rows depend on its width and on the language."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"tone-{tone}" for tone in TONES}
    can_focus = False

    def rows(self, width: int) -> list[Row]:
        """The rows at a width in columns."""
        raise NotImplementedError

    def lay(self, width: int) -> Content:
        return content_of(self.rows(max(1, width)))

    def render(self) -> LaidOut:
        return LaidOut(self.lay)

    def retell(self) -> None:
        """Lays the text out again: the language or the content changed."""
        self.refresh(layout=True)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract(self.lay(self.content_size.width).plain), "\n"
