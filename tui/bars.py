"""The fixed rows: header, suspects, progress, keys."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message

from medic import __version__
from medic.i18n import Text
from medic.report.bars import chance_bar
from medic.report.words import CHANCE
from medic.text.safetext import columns, cut, one_line

from . import words
from .actions import ACTIONS, Action, shown_key
from .events import OPEN, WRONG, WRONG_SET, Suspect, Working
from .laid import RowsView
from .lines import Line, Row, Tone, cut_middle, line_rows, pad
from .opening import shown_root

if TYPE_CHECKING:
    from medic.case.collect import Case

WORD_TONES: dict[str, Tone] = {"almost-certain": "bad", "likely": "warn", "unlikely": "muted"}
TREND = {-1: " ↓", 0: "", 1: " ↑"}
PROGRESS_BAR = 20
BAR = 5
LEAST_NAMED = 30  # columns for a further suspect in one row: less says nothing
SLOW = 4  # seconds; compiled knowledge takes less
TICK = 1.0  # seconds
LOADS = frozenset((words.LOADING, words.LOADING_LONG))
DONE, TODO = "━", "╌"


def chance_word(suspect: Suspect) -> Text:
    """How likely it is, or what is said in place of that."""
    own = {WRONG: words.IS_WRONG, WRONG_SET: words.IS_WRONG_SET, OPEN: words.IS_OPEN}
    return own.get(suspect.word) or CHANCE[suspect.word]


def lit(suspect: Suspect) -> str:
    """The bar of a chance before its word; what is wrong has none."""
    return (
        ""
        if suspect.word in (WRONG, WRONG_SET)
        else f"{chance_bar(suspect.chance, suspect.word, BAR)} "
    )


class Header(RowsView):
    """Version, what is looked at, and that nothing is sent."""

    def __init__(self, case: Case, *, demo: bool, chosen: bool = True) -> None:
        super().__init__(id="header")
        self.case = case
        self.demo = demo
        self.chosen = chosen

    def take(self, case: Case) -> None:
        """Another case is looked at."""
        self.case, self.chosen = case, True
        self.retell()

    def rows(self, width: int) -> list[Row]:
        name = f" medic {__version__}"
        local = f"{words.LOCAL} "
        nothing = words.PASTED if self.case.text else words.NO_FILES
        root = shown_root(self.case.root) if self.case.root else str(nothing)
        if self.demo:
            root = str(Text("{demo}: {root}", "{demo}：{root}").fill(demo=words.DEMO, root=root))
        if self.case.run and self.chosen:
            root = f"{root}/{self.case.run}"
        space = width - columns(name) - columns(local) - 6
        if space < 8:
            return [((cut(name, width), "strong"),)]
        root = pad(cut_middle(one_line(root), space), space)
        return [((name, "strong"), (f"   {root}   ", "plain"), (local, "muted"))]


class Suspects(RowsView):
    """Who is suspected, in words and bars: one row, or a column on a wide screen."""

    def __init__(self, *, column: bool) -> None:
        super().__init__(id="suspects-column" if column else "suspects-line")
        self.column = column
        self.suspects: tuple[Suspect, ...] | None = None
        self.none = False

    def take(self, suspects: tuple[Suspect, ...] | None, *, none: bool = False) -> None:
        self.suspects, self.none = suspects, none
        self.retell()

    def rows(self, width: int) -> list[Row]:
        title: Row = ((str(words.SUSPECTS), "strong"),)
        if not self.suspects or self.none:
            empty = words.NOT_KNOWN if self.suspects is None else words.NO_SUSPECTS
            empty = words.NONE_OF_THESE if self.none else empty
            text: Row = ((str(empty), "muted"),)
            one: Row = ((" ", "plain"), *title, ("  ", "plain"), *text)
            return [title, text] if self.column else [one]
        return self._column(width) if self.column else [self._row(width)]

    def _row(self, width: int) -> Row:
        """As many suspects as fit; each bar stands before its word and title."""
        row: list[tuple[str, Tone]] = [(f" {words.SUSPECTS}  ", "strong")]
        used = columns(row[0][0])
        for i, suspect in enumerate(self.suspects or ()):
            lead = "  · " if i else ""
            word = f"{chance_word(suspect)}{TREND[suspect.trend]}"
            named = words.SUSPECT.fill(word=word, title=suspect.title)
            room = width - used - columns(lead) - BAR - 2
            if i and room < min(LEAST_NAMED, columns(str(named))):
                break
            shown = one_line(str(named), room)
            row += [
                (lead, "muted"),
                (lit(suspect), WORD_TONES.get(suspect.word, "plain")),
                (shown, "plain"),
            ]
            used += columns(lead) + columns(lit(suspect)) + columns(shown)
        return tuple(row)

    def _column(self, width: int) -> list[Row]:
        rows: list[Row] = [((str(words.SUSPECTS), "strong"),)]
        for suspect in self.suspects or ():
            tone = WORD_TONES.get(suspect.word, "plain")
            rows.append(
                (
                    (lit(suspect), tone),
                    (f"{chance_word(suspect)}{TREND[suspect.trend]}", tone),
                )
            )
            rows += line_rows(Line(suspect.title, indent=1), width)
            rows.append(((f" {suspect.code}", "muted"),))
        return [*rows, ((str(words.WHY_HINT), "muted"),)]


class Progress(RowsView):
    """What runs in the background, else that there is more to read; gone if there is neither."""

    def __init__(self) -> None:
        super().__init__(id="progress")
        self.state = Working(None)
        self.more: Text | None = None  # where there is more to read
        self.began = monotonic()  # what goes on now
        self.display = False

    def on_mount(self) -> None:
        self.set_interval(TICK, self._tick)

    def take(self, state: Working) -> None:
        before = self.state.what
        if state.what in LOADS and before in LOADS:
            return  # it is told by both processes
        if before is None or before in LOADS:
            self.began = monotonic()
        self.state = state
        self._show()

    @property
    def seconds(self) -> int:
        """How long it goes on already."""
        return int(monotonic() - self.began)

    def _tick(self) -> None:
        """What takes long shows that it lives. Compiled knowledge is there at once: where it is
        not, this is the first start of a version."""
        if self.state.what is None or self.seconds < SLOW:
            return
        if self.state.what == words.LOADING:
            self.state = Working(words.LOADING_LONG)
        self._show()

    def point(self, more: Text | None) -> None:
        """Says where there is more to read than the screen shows."""
        self.more = more
        self._show()

    def _show(self) -> None:
        self.display = self.state.what is not None or self.more is not None
        self.retell()

    def rows(self, width: int) -> list[Row]:
        state = self.state
        if state.what is None:
            return [((cut(f" {self.more or ''}", width), "muted"),)]
        esc = str(words.ESC_CANCELS) if state.stoppable else ""
        size = min(PROGRESS_BAR, width // 4) if state.total else 0
        full = round(size * state.done / state.total) if state.total else 0
        count = f" {state.done}/{state.total}" if state.total else ""
        clock = f" {self.seconds // 60}:{self.seconds % 60:02}" if self.seconds >= SLOW else ""
        tail = f"{count}{clock}  {esc}"
        space = max(1, width - columns(tail) - size - 4)
        name = cut(one_line(str(state.what or "")) or str(words.LOOKING), space)
        return [
            (
                (f" {pad(name, space)}", "plain"),
                (f"{tail}  ", "muted"),
                (DONE * full, "accent"),
                (TODO * (size - full), "muted"),
            )
        ]


class KeyBar(RowsView):
    """The keys that matter, in the last row; a click does the same."""

    class Pressed(Message):
        """A key of the row was clicked."""

        def __init__(self, action: Action) -> None:
            super().__init__()
            self.action = action

    def __init__(self) -> None:
        super().__init__(id="keys")

    def cells(self, width: int) -> list[tuple[int, int, Action]]:
        """(first column, end column, action) of each key that fits."""
        cells, used = [], 1
        every = [a for a in ACTIONS if a.footer or shown_key(a).startswith("f")]
        sizes = {a.word: columns(f"{shown_key(a)} {a.title}") for a in every}
        if sum(sizes.values()) + 2 * len(every) > width:
            every = [a for a in every if a.footer]
        while every[1:] and sum(sizes[a.word] + 2 for a in every) - 1 > width:
            del every[-2]  # how to leave stays in sight
        for action in every:
            size = sizes[action.word]
            if used + size > width:
                break
            cells.append((used, used + size, action))
            used += size + 2
        return cells

    def rows(self, width: int) -> list[Row]:
        row: list[tuple[str, Tone]] = [(" ", "plain")]
        for i, (_, _, action) in enumerate(self.cells(width)):
            row += [("  " if i else "", "plain"), (shown_key(action), "accent")]
            row.append((f" {action.title}", "plain"))
        return [tuple(row)]

    def on_click(self, event: events.Click) -> None:
        for start, end, action in self.cells(self.size.width):
            if start <= event.x < end:
                self.post_message(self.Pressed(action))
