"""Copying says which way it went, and always keeps a file."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from medic.tui.clipboard import copy

from medic.case.collect import Case


def _tmux(folder: Path, script: str) -> None:
    program = folder / "tmux"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_in_tmux_it_goes_through_the_buffer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tmux(tmp_path, f'echo "$@" > {tmp_path}/args; cat > {tmp_path}/buffer')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("TMUX", "/tmp/x,1,0")
    sent: list[str] = []
    said = copy("显存\n[/bold]", sent.append)
    assert (tmp_path / "args").read_text() == "load-buffer -w -\n"
    assert (tmp_path / "buffer").read_text("utf-8") == "显存\n[/bold]"
    assert said.en.startswith("Copied through tmux: “显存”; also in ")
    assert not sent


@pytest.mark.parametrize("script", ["exit 1", "no-such-program-here"])
def test_a_tmux_that_refuses_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    _tmux(tmp_path, script)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("TMUX", "/tmp/x,1,0")
    sent: list[str] = []
    said = copy("text", sent.append)
    assert sent == ["text"]
    assert "OSC 52" in said.en
    assert "OSC 52" in said.zh


def test_the_file_is_the_owners_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "state"))
    said = copy("text \udc80", lambda _: None)
    file = tmp_path / "state" / "copied.txt"
    assert str(file) in said.en
    assert file.read_text() == "text ?"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_without_a_state_folder_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("MEDIC_STATE", str(blocked / "state"))
    assert "no file" in copy("text", lambda _: None).en


def test_only_a_block_that_is_there_is_copied(
    drive: Callable[..., None], case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def script(app: Any) -> None:
        copied: list[str] = []
        monkeypatch.setattr(app.app, "copy_to_clipboard", copied.append)
        for which in ("-1", "0", "9", "x", "1" * 5000):
            await app.send(f"/copy {which}")
        assert copied == []
        assert "There is no block -1." in app.said
        await app.send("/copy")
        await app.send("/copy all")
        assert len(copied) == 2

    drive(script, case)
