"""Writing a patch and taking it back: all files or none, byte for byte, nothing ever lost."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from medic.edits import Patch, apply, atomic, changes, diff, records, undo
from medic.errors import EditRefused, UsageError
from medic.run_config import Edit

OLD = "# keep\r\nlr: 1e-4  # rate\r\nmicro_batch_size: 8\r\n"


@pytest.fixture
def patch(shop: Any, edit: Callable[..., Any]) -> Callable[..., Patch]:
    """The patch that sets ``micro_batch_size`` to 4 in these files."""

    def make(*names: str, text: str = OLD) -> Patch:
        shop.values.clear()
        for name in names or ("a.yaml",):
            shop.file(name, text, {"micro_batch_size": "micro_batch_size"})
        plan = edit(shop.config(), micro_batch_size=4)
        assert not plan.refused
        return Patch(plan.edits, diff(plan.edits, lambda f: Path(f).read_bytes()), plan.hashes)

    return make


def beside(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_apply_and_undo(shop: Any, patch: Callable[..., Patch], tmp_path: Path) -> None:
    change = patch("a.yaml", "b.yaml")
    record = apply(change)
    assert record.state == "applied"
    for name in ("a.yaml", "b.yaml"):
        assert (shop.folder / name).read_bytes() == OLD.replace("size: 8", "size: 4").encode()
    assert beside(shop.folder) == ["a.yaml", "b.yaml"]
    assert [Path(f).name for f in record.files] == ["a.yaml", "b.yaml"]
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    backup = records.backup(record.id, 0)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert undo().id == record.id
    assert all((shop.folder / n).read_bytes() == OLD.encode() for n in ("a.yaml", "b.yaml"))
    assert [(r.id, r.state) for r in changes()] == [(record.id, "undone")]


def test_ids_count_up_and_undo_takes_one(patch: Callable[..., Patch], shop: Any) -> None:
    first = apply(patch("a.yaml"))
    second = apply(patch("b.yaml"))
    assert (first.id, second.id) == ("c1", "c2")
    assert undo("1").id == "c1"
    assert (shop.folder / "a.yaml").read_bytes() == OLD.encode()
    with pytest.raises(EditRefused, match="undone already"):
        undo("c1")
    assert undo().id == "c2"
    with pytest.raises(EditRefused, match="nothing to undo"):
        undo()
    with pytest.raises(UsageError, match="no change"):
        undo("c99")


def test_undo_from_another_folder(
    patch: Callable[..., Patch], shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = patch()
    monkeypatch.chdir(shop.folder)
    edits = tuple(Edit("a.yaml", e.start, e.end, e.text) for e in change.edits)
    hashes = {"a.yaml": next(iter(change.hashes.values()))}
    apply(Patch(edits, "", hashes))
    elsewhere = shop.folder.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with pytest.raises(EditRefused, match=r"work/a\.yaml: medic undo c1"):
        undo()
    assert (shop.folder / "a.yaml").read_bytes() != OLD.encode()
    assert undo("c1").id == "c1"
    assert (shop.folder / "a.yaml").read_bytes() == OLD.encode()


def test_undo_takes_the_last_change_below_the_folder(
    patch: Callable[..., Patch], shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = shop.folder / "below"
    below.mkdir()
    first = apply(patch("below/a.yaml"))
    apply(patch("b.yaml"))
    monkeypatch.chdir(below)
    assert undo().id == first.id
    monkeypatch.chdir(shop.folder.parent)
    assert undo().files == (str(shop.folder / "b.yaml"),)


def test_undo_follows_a_link_of_the_folder(
    patch: Callable[..., Patch], shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = patch()
    links = shop.folder.parent / "links"
    links.mkdir()
    (links / "a.yaml").symlink_to(shop.folder / "a.yaml")
    monkeypatch.chdir(links)
    edits = tuple(Edit("a.yaml", e.start, e.end, e.text) for e in change.edits)
    record = apply(Patch(edits, "", {"a.yaml": next(iter(change.hashes.values()))}))
    assert undo().id == record.id
    assert (links / "a.yaml").is_symlink()
    assert (shop.folder / "a.yaml").read_bytes() == OLD.encode()


def test_a_name_that_is_no_utf_8_comes_back(shop: Any) -> None:
    path = os.fsdecode(os.fsencode(shop.folder) + b"/bad\xff.yaml")
    Path(path).write_bytes(b"lr: 1")
    apply(Patch((Edit(path, 4, 5, "2"),), "", {path: sha256(b"lr: 1").hexdigest()}))
    assert Path(path).read_bytes() == b"lr: 2"
    assert undo().files == (path,)
    assert Path(path).read_bytes() == b"lr: 1"


def test_file_that_changed_since_the_preview_is_refused(
    patch: Callable[..., Patch], shop: Any
) -> None:
    change = patch("a.yaml", "b.yaml")
    (shop.folder / "b.yaml").write_text("lr: 2\n")
    with pytest.raises(EditRefused, match="changed since the preview"):
        apply(change)
    assert (shop.folder / "a.yaml").read_bytes() == OLD.encode()
    assert (shop.folder / "b.yaml").read_text() == "lr: 2\n"
    assert changes() == []


def test_file_without_a_hash_is_refused(patch: Callable[..., Patch]) -> None:
    change = patch()
    with pytest.raises(EditRefused):
        apply(Patch(change.edits, change.diff, {}))


@pytest.mark.parametrize("moment", [0, 1])
def test_failure_to_replace_leaves_every_old_file(
    patch: Callable[..., Patch], shop: Any, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """The first or the second file cannot be put in place: none is."""
    change = patch("a.yaml", "b.yaml")
    real, calls = os.replace, []

    def failing(source: Any, target: Any) -> None:
        if str(target).endswith(".yaml") and "state" not in str(target):
            calls.append(target)
            if len(calls) == moment + 1:
                raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(EditRefused, match="No space left"):
        apply(change)
    assert beside(shop.folder) == ["a.yaml", "b.yaml"]
    assert all((shop.folder / n).read_bytes() == OLD.encode() for n in ("a.yaml", "b.yaml"))


def test_kill_between_write_and_rename(
    patch: Callable[..., Patch], shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill is no exception that is handled: the old file is there, and undo tidies up."""
    change = patch("a.yaml", "b.yaml")
    real = os.replace

    class Killed(BaseException):
        pass

    def killed(source: Any, target: Any) -> None:
        if str(target).endswith("b.yaml"):
            raise Killed
        real(source, target)

    with monkeypatch.context() as during:
        during.setattr(os, "replace", killed)
        with pytest.raises(Killed):
            apply(change)
    assert (shop.folder / "b.yaml").read_bytes() == OLD.encode()
    assert len(beside(shop.folder)) == 3  # the new file that was not put in place
    assert [r.state for r in changes()] == ["pending"]
    undo()
    assert beside(shop.folder) == ["a.yaml", "b.yaml"]
    assert all((shop.folder / n).read_bytes() == OLD.encode() for n in ("a.yaml", "b.yaml"))


def test_state_folder_that_cannot_be_written(
    patch: Callable[..., Patch], shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = patch()

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("medic.edits.writing.write_private", full)
    with pytest.raises(EditRefused, match="no backup"):
        apply(change)
    assert (shop.folder / "a.yaml").read_bytes() == OLD.encode()


def test_folder_that_is_read_only(
    patch: Callable[..., Patch], shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = patch()
    real = os.open

    def denied(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & os.O_CREAT and str(path).startswith(str(shop.folder)):
            raise PermissionError(13, "Permission denied")
        return real(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", denied)  # root may write anywhere, so a mode would not do
    with pytest.raises(EditRefused, match="Permission denied"):
        apply(change)
    assert (shop.folder / "a.yaml").read_bytes() == OLD.encode()


def test_file_that_is_read_only(
    patch: Callable[..., Patch], shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = patch()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(EditRefused, match="read-only"):
        apply(change)
    assert (shop.folder / "a.yaml").read_bytes() == OLD.encode()


def test_mode_and_attributes_stay(patch: Callable[..., Patch], shop: Any) -> None:
    change = patch()
    path = shop.folder / "a.yaml"
    path.chmod(0o640)
    apply(change)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    undo()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_owner_that_cannot_be_kept_is_refused(
    patch: Callable[..., Patch], shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = patch()
    if os.geteuid() == 0:
        os.chown(shop.folder / "a.yaml", 12345, 12345)

    def denied(handle: int, user: int, group: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", denied)
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    with pytest.raises(EditRefused, match="not permitted"):
        apply(change)
    assert beside(shop.folder) == ["a.yaml"]


def test_link_stays_a_link(shop: Any, edit: Callable[..., Any]) -> None:
    real = shop.file("real.yaml", OLD, {})
    link = shop.folder / "link.yaml"
    link.symlink_to(real)
    shop.file("link.yaml", OLD, {"micro_batch_size": "micro_batch_size"})
    plan = edit(shop.config(), micro_batch_size=4)
    apply(Patch(plan.edits, "", plan.hashes))
    assert link.is_symlink()
    assert b"size: 4" in real.read_bytes()
    undo()
    assert link.is_symlink()
    assert real.read_bytes() == OLD.encode()


def test_two_names_of_one_file_are_written_once(shop: Any, edit: Callable[..., Any]) -> None:
    real = shop.file("real.yaml", OLD, {"micro_batch_size": "micro_batch_size"})
    (shop.folder / "link.yaml").symlink_to(real)
    shop.file("link.yaml", OLD, {"micro_batch_size": "micro_batch_size"})
    plan = edit(shop.config(), micro_batch_size=4)
    assert len(plan.edits) == 2
    apply(Patch(plan.edits, "", plan.hashes))
    assert real.read_bytes() == OLD.replace("size: 8", "size: 4").encode()


def test_hard_links_are_refused(patch: Callable[..., Patch], shop: Any) -> None:
    change = patch()
    os.link(shop.folder / "a.yaml", shop.folder / "other")
    with pytest.raises(EditRefused, match="hard links"):
        apply(change)


def test_what_is_no_file_is_refused(shop: Any) -> None:
    os.mkfifo(shop.folder / "pipe")
    with pytest.raises(EditRefused, match="not a regular file"):
        atomic.look_at(str(shop.folder / "pipe"))


def test_undo_leaves_later_edits_alone(patch: Callable[..., Patch], shop: Any) -> None:
    record = apply(patch("a.yaml", "b.yaml"))
    path = shop.folder / "b.yaml"
    path.write_text("mine: 1\n")
    with pytest.raises(EditRefused, match="changed since"):
        undo()
    assert b"size: 4" in (shop.folder / "a.yaml").read_bytes()
    undo(force=True)
    assert path.read_bytes() == OLD.encode()
    kept = [p.read_text() for p in records.folder(record.id).glob("*.overwritten")]
    assert kept == ["mine: 1\n"]


def test_undo_of_a_deleted_file(patch: Callable[..., Patch], shop: Any) -> None:
    first = apply(patch("b.yaml"))
    last = apply(patch())
    path = shop.folder / "a.yaml"
    path.unlink()
    with pytest.raises(EditRefused, match=f"deleted since {last.id}; medic undo {last.id} --force"):
        undo()
    with pytest.raises(EditRefused, match=rf"The change before it, .*medic undo {first.id}$"):
        undo()
    undo(first.id)
    with pytest.raises(EditRefused) as alone:
        undo()
    assert "before it" not in alone.value.en
    undo(force=True)
    assert path.read_bytes() == OLD.encode()


def test_damaged_backup_is_not_restored(patch: Callable[..., Patch], shop: Any) -> None:
    record = apply(patch())
    records.backup(record.id, 0).write_bytes(b"damaged")
    with pytest.raises(EditRefused, match="damaged"):
        undo()
    assert b"size: 4" in (shop.folder / "a.yaml").read_bytes()


def test_record_that_cannot_be_read_is_left_out(patch: Callable[..., Patch]) -> None:
    record = apply(patch())
    (records.folder(record.id) / "record.json").write_text("{")
    assert changes() == []


def test_overlapping_edits_are_refused(patch: Callable[..., Patch], shop: Any) -> None:
    change = patch()
    file = change.edits[0].file
    twice = (Edit(file, 0, 5, "x"), Edit(file, 3, 6, "y"))
    with pytest.raises(EditRefused, match="overlap"):
        apply(Patch(twice, "", change.hashes))
    assert (shop.folder / "a.yaml").read_bytes() == OLD.encode()


LINES = st.lists(
    st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=12), max_size=12
)


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs the patch command")
@given(lines=LINES, end=st.sampled_from(["\n", "\r\n"]), last=st.booleans())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_come_back_and_the_diff_is_a_patch(
    shop: Any, lines: list[str], end: str, last: bool
) -> None:
    """Apply and undo restore the file; ``patch`` makes the same file of the diff."""
    data = (end.join([*lines, "key: 8"]) + (end if last else "")).encode()
    path = shop.folder / "any.yaml"
    path.write_bytes(data)
    at = data.rindex(b"8")
    edits = (Edit(str(path), 0, 0, f"# new{end}"), Edit(str(path), at, at + 1, "4"))
    text = diff(edits, lambda f: Path(f).read_bytes())
    target = atomic.look_at(str(path))
    apply(Patch(edits, text, {str(path): target.hash}))
    new = path.read_bytes()
    assert new == f"# new{end}".encode() + data[:at] + b"4" + data[at + 1 :]
    undo()
    assert path.read_bytes() == data
    run = subprocess.run(
        ["patch", "--binary", "-s", str(path)], input=text.encode(), check=False, timeout=10
    )
    assert run.returncode == 0
    assert path.read_bytes() == new
