"""NO_COLOR: the terminal keeps its own colours, whatever the theme, and the cursor is still seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from medic.tui.app import THEMES
from rich.segment import Segment

from medic.case.collect import Case

Drive = Callable[..., None]


def painted(app: Any) -> list[Segment]:
    """What a terminal gets: the segments of the screen behind the filters."""
    found = []
    rows = app.app.screen._compositor.render_full_update().strips
    for strip in (strip for row in rows for strip in row):
        segments = list(strip)
        for one in app.app.get_line_filters():
            segments = one.apply(segments, app.app.screen.styles.background)
        found += segments
    return found


def coloured(app: Any) -> list[str]:
    styles = [(s.text, s.style) for s in painted(app) if s.style is not None]
    return [
        text
        for text, style in styles
        for color in (style.color, style.bgcolor)
        if color is not None and not color.is_default
    ]


@pytest.mark.parametrize("theme", THEMES)
def test_no_theme_paints_a_colour(
    drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def script(app: Any) -> None:
        app.app.theme = theme
        await app.settle()
        assert "suspects" in "\n".join(app.screen())
        assert coloured(app) == []
        await app.press("f7", "down")
        assert coloured(app) == []
        marked = [s.text for s in painted(app) if s.style is not None and s.style.underline]
        assert len([text for text in marked if text.strip()]) == 1

    drive(script, case)


def test_a_theme_paints_where_colour_is_wanted(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await app.settle()
        assert coloured(app)

    drive(script, case)
