"""Six screens as SVG, compared with those that are kept; MEDIC_SNAPSHOTS=write renews them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import Case
from medic.i18n import use

Drive = Callable[..., None]
KEPT = Path(__file__).with_name("snapshots")
# Rendered by this version: another one may draw the same screen with other elements.
TEXTUAL = "8.2.8"

pytestmark = pytest.mark.skipif(
    version("textual") != TEXTUAL, reason=f"the snapshots are of textual {TEXTUAL}"
)


def same(app: Any, name: str) -> None:
    """The screen as it is now is the one that is kept."""
    svg = app.app.export_screenshot(title="medic")
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    svg = "\n".join(row.rstrip() for row in svg.split("\n"))
    file = KEPT / f"{name}.svg"
    if os.environ.get("MEDIC_SNAPSHOTS") == "write":
        KEPT.mkdir(exist_ok=True)
        file.write_text(svg, "utf-8")
    assert svg == file.read_text("utf-8"), f"{name}: MEDIC_SNAPSHOTS=write renews it"


async def still(app: Any) -> None:
    """No cursor blinks in the picture."""
    app.prompt.cursor_blink = False
    await app.settle()


@pytest.mark.usefixtures("exact")
def test_the_graph(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await still(app)
        await app.press("f7")
        await app.press("down", "down")
        same(app, "graph")

    drive(script, case)


def test_the_talk_the_patch_and_a_wide_screen(drive: Drive, case: Case) -> None:
    async def script(app: Any) -> None:
        await still(app)
        same(app, "talk-80x24")
        await app.send("2")
        await app.press("f4")
        same(app, "patch")
        await app.press("escape")
        await app.resize(120, 30)
        await still(app)
        same(app, "wide")

    drive(script, case)


def test_without_colour(drive: Drive, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def script(app: Any) -> None:
        await still(app)
        await app.send("2")
        same(app, "no-colour")

    drive(script, case)


def test_in_chinese(drive: Drive, case: Case) -> None:
    use("zh")

    async def script(app: Any) -> None:
        await still(app)
        same(app, "chinese")

    drive(script, case)
