"""Text from logs, files and probes reaches the screen as it is, and steers nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from medic.tui.events import Suspect
from medic.tui.lines import Block, Line, code, said
from textual.content import Content

from medic.case.collect import Case, collect
from medic.i18n import Text, plain

Drive = Callable[..., None]
LINES = [
    "[rank0]: CUDA error",
    "[/bold] closes what was never opened",
    "[@click=app.exit()]click me[/]",
    "[red]not red[/red] [",
    "\x1b]52;c;aGk=\x07 clipboard",
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[H cleared",
    "\x9b31m c1",
    "\u202egnp.exe",
    "a\u200bb",
    "{placeholder} {0} %s",
]


def steering(rows: list[str]) -> list[str]:
    """Characters that no cell may hold."""
    return [c for row in rows for c in row if unicodedata.category(c) in ("Cc", "Cf", "Cs")]


def test_a_hostile_log_line_is_shown_as_it_is(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        rows = app.screen()
        shown = "\n".join(rows)
        assert "[rank0]: torch.OutOfMemoryError" in shown
        assert not steering(rows)
        await app.send("/copy all")
        assert not steering(app.talk().split("\n"))

    drive(script, case, size=(160, 40))


def test_what_a_probe_raised_is_shown_as_it_is(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        assert "failed: ValueError: [/bold] \u241b[31mbroken\u241b[0m" in app.talk()

    drive(script, case)


def test_no_line_is_markup_wherever_it_is_shown(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        transcript = app.app.talk.transcript
        for line in LINES:
            transcript.add(said(line))
            transcript.add(Block("you", (Line(plain(line), mark="1  ", where=plain(line)),)))
            transcript.add(code(f"+{line}", diff=True))
            for view in app.app.talk.query("Suspects"):
                view.take((Suspect(plain(line), "X-001", "likely", 0.7),))
            await app.settle()
            rows = app.screen()
            assert not steering(rows)
            readable = "".join(c for c in line if c.isprintable() and _shown(c))
            assert readable.split()[-1] in "\n".join(rows)
            for y, row in enumerate(rows):
                for x in range(2, len(row), 16):
                    assert "@click" not in app.app.screen.get_style_at(x, y).meta

    drive(script, case, size=(120, 50))


def _shown(char: str) -> bool:
    return unicodedata.category(char) != "Cf"


def test_no_line_steers_the_graph_the_help_or_the_curve(drive: Drive, case: Case) -> None:
    from medic.tui.curves import picture
    from medic.tui.graph_nodes import Graph, Node
    from medic.tui.graph_screen import GraphScreen
    from medic.tui.help_screen import HelpScreen

    from medic.facts import Series

    async def script(app: Any) -> None:
        nodes = tuple(
            Node(-1, 0, "! ", plain(line), "warn", plain(line), str(n), cause=str(n))
            for n, line in enumerate(LINES)
        )
        details = {str(n): said(line) for n, line in enumerate(LINES)}
        app.app.push_screen(GraphScreen(Graph(nodes, details)))
        for _ in LINES:
            await app.pilot.press("down")
            assert not steering(app.screen())
        await app.press("slash", "left_square_bracket", "slash")
        assert not steering(app.screen())
        await app.press("escape", "escape")
        app.app.push_screen(HelpScreen(waits=plain(" ".join(LINES))))
        await app.pilot.pause()
        assert not steering(app.screen())
        await app.press("escape")
        for line in LINES:
            series = Series(line, line, (1, 2), (1.0, float("nan")), (1, 2))
            app.app.talk.transcript.add(Block("medic", tuple(picture(series))))
        await app.settle()
        assert not steering(app.screen())

    drive(script, case)


def test_a_folder_with_a_hostile_name(drive: Drive, tmp_path: Path) -> None:
    folder = tmp_path / "[bold]run\x1b[31m"
    folder.mkdir()
    (folder / "train.log").write_text("step 1 loss 2.0\n")

    async def script(app: Any) -> None:
        rows = app.screen()
        assert "[bold]run\u241b[31m" in rows[0]
        assert not steering(rows)

    drive(script, collect([str(folder)]), size=(200, 24))


def test_what_is_typed_or_pasted_is_no_markup(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.send("/[bold]x[/]")
        assert "No command “/[bold]x[/]”" in app.talk()
        await app.send("[@click=app.exit()]hangs[/]")
        assert "[you]    [@click=app.exit()]hangs[/]" in app.talk()
        assert not steering(app.screen())

    drive(script, case)


def test_the_source_passes_no_string_where_markup_is_read() -> None:
    """Static, Label and notify read markup unless told not to."""
    import medic.tui

    folder = Path(next(iter(medic.tui.__path__)))
    for file in folder.glob("*.py"):
        for row in file.read_text("utf-8").split("\n"):
            if "Static(" in row and "import" not in row:
                assert "markup=False" in row, f"{file.name}: {row}"
            for word in ("Label(", "notify(", "from_markup", "OptionList(", "DataTable("):
                assert word not in row, f"{file.name}: {row}"


def test_literal_content_has_no_spans_of_its_own() -> None:
    from medic.tui.laid import content_of

    for line in LINES:
        content = content_of([((line, "plain"),)])
        assert content.plain == Content(line).plain
        assert {span.style for span in content.spans} <= {".tone-plain"}


def test_a_copy_that_ends_when_the_app_has_left_says_nothing(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.app.talk.transcript.remove()
        app.app._say(Text("copied", "已复制"))

    drive(script, case)
