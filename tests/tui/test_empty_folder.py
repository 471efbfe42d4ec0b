"""A folder with nothing in it is talked about, from inside and from outside, on a screen and
without one."""

from __future__ import annotations

from pathlib import Path

import pytest

import medic.commands.app as command
from medic.case.collect import Case
from medic.commands import main


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Case]:
    found: list[Case] = []

    def start(case: Case, **_: object) -> int:
        found.append(case)
        return 0

    monkeypatch.setattr(command, "start", start)
    return found


@pytest.mark.parametrize("args", [[], ["."], ["--plain"]])
def test_from_inside(
    args: list[str], started: list[Case], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(args or ["--lang", "en"]) == 0
    assert [(c.root, c.files) for c in started] == [(".", ())]


@pytest.mark.parametrize("screen", [True, False])
def test_from_outside(
    screen: bool,
    started: list[Case],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "interactive", lambda: screen)
    assert main(["empty"]) == 0
    assert [c.root for c in started] == ["empty"]
    assert "nothing to read" not in capsys.readouterr().err
    assert main(["none/such"]) == 2
