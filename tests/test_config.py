"""Where medic keeps its own files."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from medic.config import cache_dir, extra_knowledge, state_dir
from medic.errors import UsageError


def test_state_folder_is_private_and_named_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "a" / "state"))
    folder = state_dir("changes")
    assert folder == tmp_path / "a" / "state" / "changes"
    for part in (folder, folder.parent, folder.parent.parent):
        assert stat.S_IMODE(part.stat().st_mode) == 0o700
    assert cache_dir().is_relative_to(tmp_path / "a" / "state")


def test_folder_that_is_there_keeps_its_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path))
    assert state_dir() == tmp_path
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_default_is_the_users_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MEDIC_STATE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    assert state_dir().is_relative_to(tmp_path)


def test_state_folder_below_a_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "file" / "state"))
    with pytest.raises(UsageError, match="MEDIC_STATE"):
        state_dir()


def test_extra_knowledge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEDIC_KNOWLEDGE", raising=False)
    assert extra_knowledge() is None
    monkeypatch.setenv("MEDIC_KNOWLEDGE", str(tmp_path))
    assert extra_knowledge() == tmp_path
    monkeypatch.setenv("MEDIC_KNOWLEDGE", str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="MEDIC_KNOWLEDGE"):
        extra_knowledge()
