"""Renders docs/app.svg and docs/graph.svg: a consultation over the demo run, and its graph.

python docs/screenshot.py
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from medic.case.collect import collect
from medic.i18n import use
from medic.index.knowledge import load

HERE = Path(__file__).resolve().parent


async def idle(app: Any, pilot: Any) -> None:
    """Waits until all is read and told."""
    await pilot.pause(0.5)
    while app.talk.desk.busy:
        await pilot.pause(0.1)
    await pilot.pause(0.3)


def write(app: Any, name: str) -> None:
    svg = app.export_screenshot(title="medic demo")
    svg = "\n".join(row.rstrip() for row in re.sub(r"terminal-\d+", "terminal", svg).split("\n"))
    (HERE / name).write_text(svg, "utf-8")


async def main() -> None:
    use("en")
    with tempfile.TemporaryDirectory() as folder:
        # A relative path: the picture shows nothing of the machine that made it.
        os.chdir(folder)
        os.environ["MEDIC_STATE"] = str(Path(folder) / "state")
        shutil.copytree(HERE.parent / "knowledge" / "demo", "run")
        app = import_module("medic.tui.app").MedicApp(load, collect(["run"]), demo=True)
        async with app.run_test(size=(110, 34)) as pilot:
            await idle(app, pilot)
            app.talk.query_one("#prompt").cursor_blink = False
            await idle(app, pilot)
            write(app, "app.svg")
            await pilot.press("f7")
            await idle(app, pilot)
            await pilot.press("down")
            await pilot.pause(0.3)
            write(app, "graph.svg")


asyncio.run(main())
