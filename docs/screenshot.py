"""Renders docs/app.svg: the app on the demo run, after its first answer."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from importlib import import_module
from pathlib import Path

from medic.case import collect
from medic.i18n import use
from medic.index import load

HERE = Path(__file__).resolve().parent


async def main() -> None:
    use("en")
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        shutil.copytree(HERE.parent / "knowledge" / "demo", run)
        app = import_module("medic.tui.app").MedicApp(load, collect([str(run)]), demo=True)
        async with app.run_test(size=(90, 30)) as pilot:
            for _ in range(80):
                await pilot.pause(0.1)
            (HERE / "app.svg").write_text(app.export_screenshot(title="medic demo"), "utf-8")


asyncio.run(main())
