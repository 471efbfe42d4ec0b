"""The change in full before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from medic.i18n import Text
from medic.report.words import SAFE

from . import words, words_more
from .laid import RowsView
from .lines import Block, Line, Row, Tone, code, line_rows
from .offers import Offer
from .transcript import BlockView

MAX_WIDTH = 110  # as in medic.tcss
FRAME_COLUMNS = 4  # border and padding


class PatchHead(RowsView):
    """What is about to be changed, and how much."""

    def __init__(self, offer: Offer) -> None:
        super().__init__(id="patch-head")
        self.offer = offer

    def rows(self, width: int) -> list[Row]:
        fix = self.offer.fix
        files = files_of(fix.diff)
        rows = fix.diff.splitlines()
        added = sum(r.startswith("+") and not r.startswith("+++") for r in rows)
        removed = sum(r.startswith("-") and not r.startswith("---") for r in rows)
        ask = words_more.PATCH_TITLE_ONE if len(files) == 1 else words_more.PATCH_TITLE
        safe = SAFE if fix.remedy.safe else words_more.UNSAFE_NOTE
        title = Text("{ask}  {title}  +{a} -{r}  ({safe})", "{ask}  {title}  +{a} -{r}({safe})")
        filled = title.fill(
            ask=ask.fill(n=len(files)), title=self.offer.title, a=added, r=removed, safe=safe
        )
        lines = [Line(filled, "strong")]
        if "{" not in fix.text.en:
            lines.append(Line(fix.text))
        lines += [Line(note, "warn") for note in fix.notes]
        return [row for line in lines for row in line_rows(line, width)]


class PatchFoot(RowsView):
    """What became of the last key, how to undo, and the keys."""

    def __init__(self, costs: Text) -> None:
        super().__init__(id="patch-foot")
        self.costs = costs
        self.note: Text | None = None

    def rows(self, width: int) -> list[Row]:
        note = self.note or words_more.UNDO_LATER
        tone: Tone = "accent" if self.note else "muted"
        rows = [*line_rows(Line(words.COSTS.fill(say=self.costs), "muted"), width)]
        rows += line_rows(Line(note, tone), width)
        keys: list[tuple[str, Tone]] = []
        for key, text in words_more.PATCH_KEYS:
            keys += [(key, "accent"), (f" {text}   ", "plain")]
        return [*rows, tuple(keys)]


class PatchScreen(ModalScreen[bool]):
    """Gives True if the change is to be applied. Esc is the default; only ``a`` applies."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", show=False),
        Binding("a", "apply", show=False),
        Binding("w", "write", show=False),
        Binding("y", "copy", show=False),
        Binding("up", "scroll('up')", show=False),
        Binding("down", "scroll('down')", show=False),
        Binding("pageup", "scroll('page_up')", show=False),
        Binding("pagedown", "scroll('page_down')", show=False),
    ]

    def __init__(self, offer: Offer) -> None:
        super().__init__()
        self.offer = offer

    def compose(self) -> ComposeResult:
        with Vertical(id="patch"):
            yield PatchHead(self.offer)
            with VerticalScroll(id="patch-diff", can_focus=False):
                yield BlockView(Block("bare", code(self.offer.fix.diff, diff=True).lines))
            yield PatchFoot(self.offer.fix.remedy.costs.say)

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """The diff scrolls where the screen is low: the keys are always there."""
        width = max(1, min(MAX_WIDTH, self.size.width) - FRAME_COLUMNS)
        views: tuple[RowsView, ...] = (self.query_one(PatchHead), self.query_one(PatchFoot))
        used = sum(len(view.rows(width)) for view in views)
        self.query_one("#patch-diff").styles.max_height = max(1, self.size.height - used - 2)

    def note(self, text: Text) -> None:
        """Shows what became of a key above the keys."""
        foot = self.query_one(PatchFoot)
        foot.note = text
        foot.retell()
        self._fit()

    def action_back(self) -> None:
        self.dismiss(False)

    def action_apply(self) -> None:
        self.dismiss(True)

    def action_write(self) -> None:
        self.note(write_patch(self.offer))

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self.offer.fix.diff)

    def action_scroll(self, way: str) -> None:
        getattr(self.query_one("#patch-diff", VerticalScroll), f"scroll_{way}")(animate=False)


def files_of(diff: str) -> list[str]:
    """The files that a unified diff changes."""
    return [row[4:] for row in diff.splitlines() if row.startswith("+++ ")]


def write_patch(offer: Offer) -> Text:
    """Writes the diff beside the user, never over a file that is there."""
    name = offer.fix.remedy.name
    for i in range(1, 100):
        file = Path(f"medic-{name}.patch" if i == 1 else f"medic-{name}-{i}.patch")
        try:
            with file.open("x", encoding="utf-8", newline="") as out:
                out.write(offer.fix.diff)
        except FileExistsError:
            continue
        except OSError as problem:
            return words_more.NOT_WRITTEN.fill(why=problem.strerror or str(problem))
        return words_more.WRITTEN.fill(file=str(file.absolute()))
    return words_more.NOT_WRITTEN.fill(why=name)
