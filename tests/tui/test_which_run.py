"""A folder of several runs: which one failed, when, and which still writes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import Case, collect
from medic.session import runstates
from medic.session.runstates import RunState

Drive = Callable[..., None]
LOGS = {
    "oom": "step 1 loss 2.0\nstep 2 loss 1.9\n[rank0]: CUDA out of memory. Tried to allocate 2 GiB\n",
    "writes": "step 7 loss 2.0\n",
    "old": "step 3 loss 2.0\n",
}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    folder = tmp_path / "runs"
    for days, (name, text) in enumerate(LOGS.items()):
        log = folder / name / "train.log"
        log.parent.mkdir(parents=True)
        log.write_text(text)
        when = time.time() - (0 if name == "writes" else 86400 * (days + 1))
        os.utime(log, (when, when))
    monkeypatch.chdir(tmp_path)
    return collect(["runs"])


def test_the_list_says_how_each_run_stands(drive: Drive, runs: Case) -> None:
    async def script(app: Any) -> None:
        rows = [row for row in app.talk().splitlines() if "  (20" in row]
        assert len(rows) == 3  # one list, that of the first paint was replaced
        assert "writes" in rows[0]
        assert "the newest, still writing, step 7)" in app.said
        assert "failed: CUDA out of memory, step 2)" in app.said
        assert "no fault in its last lines, step 3)" in app.said
        assert app.app.talk.choices.kind == "run"
        await app.send("/run oom")
        assert app.app.talk.consultation.session.case.run == "oom"
        await app.send("/run")
        assert app.said.count("failed: CUDA out of memory, step 2)") == 2

    drive(script, runs, which=True, size=(120, 40))


def test_a_choice_does_not_wait_for_the_other_runs(
    drive: Drive, runs: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def slowly(folder: str, _index: Any) -> RunState:
        seen.append(Path(folder).name)
        end = time.monotonic() + 20
        while not chosen and time.monotonic() < end:
            time.sleep(0.005)
        return RunState("ended")

    chosen: list[bool] = []
    monkeypatch.setattr(runstates, "state_of", slowly)

    async def script(app: Any) -> None:
        await app.until(lambda: bool(seen))
        await app.pilot.press("2", "enter")
        chosen.append(True)
        await app.settle()
        assert app.app.talk.consultation.session.case.run == "oom"
        assert len(seen) == 1

    drive(script, runs, which=True, wait=False)
