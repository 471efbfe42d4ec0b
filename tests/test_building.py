"""Compiled knowledge: one file a kind, all of them or none, read when asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medic.index.knowledge import Index, load
from medic.index.stored import Parts, store


def test_kinds_are_read_when_asked_for(tmp_path: Path) -> None:
    store({"symptoms": {"a": {}}, "causes": {}}, tmp_path / "k")
    parts = Parts(tmp_path / "k")
    (tmp_path / "k" / "causes.json").unlink()
    assert parts["symptoms"] == {"a": {}}
    assert parts.get("causes") is None
    assert list(parts) == ["symptoms"]


def test_long_fields_are_parsed_when_they_are_read(tmp_path: Path) -> None:
    entry = {"title": "A", "known": ["lr"], "choices": {"x": ["1", "2"]}}
    store({"frameworks": {"a": entry, "b": {"title": "B"}}}, tmp_path / "k")
    found = Parts(tmp_path / "k")["frameworks"]
    assert list(found) == ["a", "b"]
    assert found["b"] == {"title": "B"}
    assert (list(found["a"]["known"]), dict(found["a"]["choices"])) == (["lr"], entry["choices"])
    broken = (tmp_path / "k" / "frameworks.json").read_bytes().replace(b'["lr"]', b"[no")
    (tmp_path / "k" / "frameworks.json").write_bytes(broken)
    again = Parts(tmp_path / "k")["frameworks"]["a"]
    assert again["title"] == "A"
    with pytest.raises(json.JSONDecodeError):
        len(again["known"])


@given(
    st.dictionaries(
        st.text("ab !\u640d\u5931z0.", min_size=1), st.lists(st.integers()), max_size=30
    )
)
def test_rows_are_found_by_their_names(rows: dict[str, list[int]]) -> None:
    with TemporaryDirectory() as folder:
        store({"words": rows}, Path(folder) / "c")
        words = Parts(Path(folder) / "c")["words"]
    assert dict(words) == rows
    assert len(words) == len(rows)
    assert all(
        words.get(name, None) == rows.get(name) for name in (*rows, "a", "zz", "\u640d", "!")
    )


def test_nothing_is_left_of_what_could_not_be_stored(tmp_path: Path) -> None:
    store({"symptoms": {}}, tmp_path / "k")
    (tmp_path / "k" / "mine").write_text("kept")
    with pytest.raises(OSError, match=r"not empty|exists"):
        store({"symptoms": {"b": {}}}, tmp_path / "k")
    assert json.loads((tmp_path / "k" / "symptoms.json").read_text()) == {}
    assert [p.name for p in tmp_path.iterdir()] == ["k"]


def test_the_cache_is_private_and_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_load: Callable[..., Index]
) -> None:
    built = []

    def build(folders: object) -> dict[str, object]:
        built.append(folders)
        return {"symptoms": {"a": {"name": "a"}}, "words": {}}

    monkeypatch.setattr("medic.index.building.build", build)
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "state"))
    fresh_load()
    folder = next((tmp_path / "state" / "cache").glob("knowledge-*"))
    assert {p.stat().st_mode & 0o777 for p in folder.glob("*.json")} == {0o600}
    again = fresh_load()
    assert len(built) == 1
    assert isinstance(again.raw, Parts)
    assert again.raw["symptoms"] == {"a": {"name": "a"}}


def test_what_is_worked_out_is_of_all_causes() -> None:
    index = load()
    assert isinstance(index.raw, Parts)
    # Of the file: rows that are asked for are kept, and these are tens of thousands.
    words = json.loads((index.raw._folder / "words.json").read_bytes())
    assert max(n for row in words.values() for n in row[::2]) == len(index.raw["causes"]) - 1
    assert len(words) == len(index.words)
    code = index.causes["micro-batch-too-large"].code
    assert index.by_code(code.lower()) == "micro-batch-too-large"
    assert "micro-batch-too-large" in index.showing("cuda-out-of-memory")
    assert index.lint_names == {n for n, cause in index.causes.items() if cause.lint}
    assert set(index.telltales) == {n for n, cause in index.causes.items() if cause.telltale}


def test_outcomes_are_those_of_the_checks() -> None:
    index = load()
    for name, check in index.checks.items():
        assert index.outcomes(name) == {o: one.normal for o, one in check.outcomes.items()}
    assert index.outcomes("loss-nan") == {"present": False, "absent": True}
    assert index.outcomes("no-such-name") == {}


def test_a_start_that_takes_long_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_load: Callable[..., Index]
) -> None:
    monkeypatch.setattr("medic.index.building.build", lambda _: {"symptoms": {}, "words": {}})
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path / "state"))
    told: list[str] = []
    assert isinstance(fresh_load(None, lambda: told.append("long")).raw, Parts)
    assert told == ["long"]
    fresh_load(None, lambda: told.append("again"))
    assert told == ["long"]
