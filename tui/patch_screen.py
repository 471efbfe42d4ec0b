"""The change in full before anything is written."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from medic.i18n import Text, plain
from medic.report.words import SAFE
from medic.text.safetext import columns, cut, one_line

from . import words, words_more
from .laid import RowsView
from .lines import Block, Line, Row, Tone, code, cut_middle, joined, line_rows
from .offers import Offer
from .said_rows import BlockView
from .written import files_of, number, write_patch

MAX_WIDTH = 110  # as in medic.tcss
FRAME_COLUMNS = 4  # border and padding
FRAME_ROWS = 2
DIFF_ROWS = 3  # of the diff at least, whatever else has to go
WHOLE = 1000
MAX_NUMBERS = 4


class PatchHead(RowsView):
    """What is about to be changed, and how much."""

    def __init__(self, offer: Offer) -> None:
        super().__init__(id="patch-head")
        self.offer = offer
        self.most = WHOLE

    def rows(self, width: int) -> list[Row]:
        """Where not all fits, what to do is left out first: it stands in the talk."""
        every = self.whole(width)
        if len(every) > self.most:
            every = self.whole(width, text=False)
        return every[: self.most]

    def whole(self, width: int, *, text: bool = True) -> list[Row]:
        """All rows, as a high screen shows them."""
        fix = self.offer.fix
        files = files_of(fix.diff)
        rows = fix.diff.splitlines()
        added = sum(r.startswith("+") and not r.startswith("+++") for r in rows)
        removed = sum(r.startswith("-") and not r.startswith("---") for r in rows)
        ask = words_more.PATCH_TITLE_ONE if len(files) == 1 else words_more.PATCH_TITLE
        safe = SAFE if fix.safe else words_more.UNSAFE_NOTE
        file = cut_middle(one_line(files[0]), width // 2) if files else ""
        asked = joined(
            [ask.fill(n=len(files), file=file), plain(f"+{added} -{removed}")], "  ", "  "
        )
        title = Text("{title} ({safe})", "{title}（{safe}）")
        lines = [
            Line(asked, "strong"),
            Line(title.fill(title=self.offer.full_title, safe=safe), "strong"),
        ]
        if self.offer.instead is not None:
            lines.insert(1, Line(self.offer.instead, "warn"))
        if self.offer.reads is not None:
            lines.append(Line(self.offer.reads, "warn"))
        if fix.filled and text:
            lines.append(Line(fix.text))
        lines += [Line(note, "warn") for note in fix.notes]
        lines += [number(change) for change in fix.changes[:MAX_NUMBERS]]
        return [row for line in lines for row in line_rows(line, width)]


class PatchFoot(RowsView):
    """What became of the last key, how to undo, and the keys."""

    def __init__(self, costs: Text) -> None:
        super().__init__(id="patch-foot")
        self.costs = costs
        self.note: Text | None = None
        self.most = WHOLE

    def rows(self, width: int) -> list[Row]:
        every = self.whole(width)
        if len(every) > self.most > 0:
            every = [*every[: self.most - 1], _cut(every[self.most - 1], width)]
        return [*every[: self.most], _keys(width)]

    def whole(self, width: int) -> list[Row]:
        """All rows above the keys: what became of the last key comes first."""
        costs = [*line_rows(Line(words.COSTS.fill(say=self.costs), "muted"), width)]
        if self.note:
            return [*line_rows(Line(self.note, "accent"), width), *costs]
        return [*costs, *line_rows(Line(words_more.UNDO_LATER, "muted"), width)]


def _cut(row: Row, width: int) -> Row:
    """A row after which something is left out."""
    text = "".join(part for part, _ in row).rstrip()
    return ((cut(text, width - 2) + " \u2026", row[0][1]),)


def _keys(width: int) -> Row:
    """The keys; where they do not all fit, those that decide come first."""
    keys = dict(words_more.PATCH_KEYS)
    whole = sum(columns(f"{key} {text}") + 3 for key, text in keys.items()) - 3
    cells: list[tuple[str, Tone]] = []
    used, gap = 0, "   " if whole <= width else "  "
    for key in keys if whole <= width else ("a", "esc", "w", "y"):
        text = f" {keys[key]}"
        size = columns(key + text) + (len(gap) if cells else 0)
        if used + size > width:
            break
        cells += [(gap if cells else "", "plain"), (key, "accent"), (text, "plain")]
        used += size
    return tuple(cells)


class PatchScreen(ModalScreen[bool]):
    """Gives True if the change is to be applied. Esc is the default; only ``a`` applies."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", show=False),
        Binding("f1", "help", show=False),
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
        self.call_after_refresh(self._show_change)

    def _fit(self) -> None:
        """On a low screen the prose goes first; some of the diff and the keys always stay."""
        width = max(1, min(MAX_WIDTH, self.size.width) - FRAME_COLUMNS)
        head, foot = self.query_one(PatchHead), self.query_one(PatchFoot)
        inner = self.size.height - FRAME_ROWS
        wanted = len(self._diff_rows(width))
        left = max(0, inner - 1 - max(DIFF_ROWS, min(wanted, inner // 2)))
        noted = min(left, 2) if foot.note else 0
        # The costs are read before the text of the remedy, which stands in the talk.
        least = min(left - noted, len(head.whole(width, text=False)))
        head.most = max(least, left - len(foot.whole(width)))
        shown = len(head.rows(width))
        foot.most = max(0, left - shown)
        used = shown + len(foot.rows(width))
        diff = self.query_one("#patch-diff")
        diff.styles.max_height = max(1, self.size.height - used - FRAME_ROWS)
        head.display = shown > 0
        head.retell()
        foot.retell()

    def _diff_rows(self, width: int) -> list[Tone]:
        """The tone of each row of the diff."""
        lines = code(self.offer.fix.diff, diff=True).lines
        return [line.tone for line in lines for _ in line_rows(line, width)]

    def _show_change(self) -> None:
        """Where the diff does not fit, it begins near its first changed line."""
        diff = self.query_one("#patch-diff", VerticalScroll)
        if diff.max_scroll_y <= 0:
            return
        tones = self._diff_rows(diff.scrollable_content_region.width)
        at = next((i for i, tone in enumerate(tones) if tone in ("add", "remove")), 0)
        before = 0 if diff.size.height <= DIFF_ROWS + 1 else 1
        diff.scroll_to(y=max(0, at - before), animate=False)

    def note(self, text: Text) -> None:
        """Shows what became of a key above the keys."""
        foot = self.query_one(PatchFoot)
        foot.note = text
        self._fit()

    def action_back(self) -> None:
        self.dismiss(False)

    def action_help(self) -> None:
        from .help_screen import HelpScreen

        self.app.push_screen(HelpScreen("patch"))

    def action_apply(self) -> None:
        self.dismiss(True)

    def action_write(self) -> None:
        self.note(write_patch(self.offer))

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self.offer.fix.diff)

    def action_scroll(self, way: str) -> None:
        getattr(self.query_one("#patch-diff", VerticalScroll), f"scroll_{way}")(animate=False)
