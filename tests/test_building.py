"""Compiled knowledge: one file a kind, all of them or none, read when asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medic.building import store
from medic.index import Index, Parts, load


def test_kinds_are_read_when_asked_for(tmp_path: Path) -> None:
    store({"symptoms": {"a": {}}, "causes": {}}, tmp_path / "k")
    parts = Parts(tmp_path / "k")
    (tmp_path / "k" / "causes.json").unlink()
    assert parts["symptoms"] == {"a": {}}
    assert parts.get("causes") is None
    assert list(parts) == ["symptoms"]


def test_nothing_is_left_of_what_could_not_be_stored(tmp_path: Path) -> None:
    store({"symptoms": {}}, tmp_path / "k")
    (tmp_path / "k" / "mine").write_text("kept")
    with pytest.raises(OSError, match=r"not empty|exists"):
        store({"symptoms": {"b": {}}}, tmp_path / "k")
    assert json.loads((tmp_path / "k" / "symptoms.json").read_text()) == {}
    assert [p.name for p in tmp_path.iterdir()] == ["k"]


def test_the_cache_is_private_and_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "state"))
    first = load()
    folder = next((tmp_path / "state" / "cache").glob("knowledge-*"))
    assert {p.stat().st_mode & 0o777 for p in folder.glob("*.json")} == {0o600}
    again: Index = load()
    assert isinstance(again.raw, Parts)
    assert list(again.causes) == list(first.causes)
    assert again.words["causes"] == list(again.raw["causes"])
