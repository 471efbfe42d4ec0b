"""An undo that fails half way, and the bytes that a diff shows."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from medic.edits import Patch, apply, atomic, diff, records, undo
from medic.errors import EditRefused
from medic.run_config import Edit

OLD = b"# keep\r\nmicro_batch_size: 8\r\nx:\t1\r\n"
NEW = OLD.replace(b"size: 8", b"size: 4")


@pytest.fixture
def patch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patch:
    """The patch of two equal files."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "run"
    folder.mkdir()
    edits = []
    for name in ("a.yaml", "b.yaml"):
        (folder / name).write_bytes(OLD)
        at = OLD.index(b"8\r")
        edits.append(Edit(str(folder / name), at, at + 1, "4"))
    hashes = {e.file: sha256(OLD).hexdigest() for e in edits}
    return Patch(tuple(edits), diff(edits, lambda f: Path(f).read_bytes()), hashes)


def held(patch: Patch) -> list[bytes]:
    return [Path(e.file).read_bytes() for e in patch.edits]


def beside(patch: Patch) -> list[str]:
    return sorted(p.name for p in Path(patch.edits[0].file).parent.iterdir())


def second_fails(monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """The second call of a step of undo finds the disk full."""
    real: Callable[..., None] = getattr(atomic, step)
    calls: list[int] = []

    def fails(*given: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        real(*given)

    monkeypatch.setattr(import_module("medic.edits.writing"), step, fails)


@pytest.mark.parametrize("step", ["stage", "commit"])
def test_an_undo_that_fails_at_the_second_file_undoes_none(
    patch: Patch, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    record = apply(patch)
    second_fails(monkeypatch, step)
    with pytest.raises(EditRefused, match="No space left"):
        undo(record.id)
    assert held(patch) == [NEW, NEW]
    assert beside(patch) == ["a.yaml", "b.yaml"]
    assert records.load(record.id).state == "applied"
    assert undo(record.id).state == "undone"
    assert held(patch) == [OLD, OLD]


def test_a_file_that_was_gone_is_gone_again(patch: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    record = apply(patch)
    Path(patch.edits[0].file).unlink()
    second_fails(monkeypatch, "commit")
    with pytest.raises(EditRefused, match="No space left"):
        undo(record.id, force=True)
    assert beside(patch) == ["b.yaml"]


def test_a_diff_keeps_carriage_returns_and_tabs(patch: Patch) -> None:
    assert "-micro_batch_size: 8\r\n+micro_batch_size: 4\r\n x:\t1\r\n" in patch.diff
