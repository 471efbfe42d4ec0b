"""A bundle that is read elsewhere: like the run, and safely whatever it holds."""

from __future__ import annotations

import io
import json
import os
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from medic.bundle import is_bundle, unpack
from medic.bundle.unpack import plain_name
from medic.commands import main
from medic.errors import Unreadable

from .packing import archive, packed

LIMITS = sys.modules["medic.bundle.unpack"]


def test_it_is_diagnosed_like_the_run(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = packed(run, tmp_path)
    assert main(["diagnose", str(run), "--json"]) == 1
    here = json.loads(capsys.readouterr().out)
    assert main(["diagnose", str(target), "--json"]) == 1
    there = json.loads(capsys.readouterr().out)
    assert there["verdict"] == here["verdict"]
    assert [c["name"] for c in there["causes"]] == [c["name"] for c in here["causes"]]
    assert "/medic-bundle-" not in json.dumps(there)
    assert str(target) + ":run/" in json.dumps(there)


def test_nothing_is_written_outside_the_folder(tmp_path: Path) -> None:
    bad = archive(
        tmp_path / "bad.tar.gz",
        ("../../evil.log", b"x"),
        ("/tmp/evil.log", b"x"),
        ("a/../../evil.log", b"x"),
        ("C:\\evil.log", b"x"),
        ("link", "/etc"),
        ("link/passwd", b"x"),
        ("device", None),
        ("ok/train.log", b"step 1\n"),
    )
    folder = tmp_path / "out" / "in"
    folder.mkdir(parents=True)
    left = unpack(str(bad), str(folder))
    written = sorted(
        str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*") if p.is_file()
    )
    assert written == ["in/link/passwd", "in/ok/train.log"]
    assert not (folder / "link").is_symlink()
    assert len(left) == 6
    assert not (tmp_path / "evil.log").exists()


@pytest.mark.parametrize(
    "name", ["", ".", "..", "/a", "a/../b", "a\0b", "x" * 300, "/".join("abcdefghijklmno")]
)
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    assert plain_name(name) is None


def test_an_archive_that_grows_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LIMITS, "MAX_TOTAL", 1 << 20)
    bad = archive(tmp_path / "bomb.tar.gz", ("a.log", b"\0" * (8 << 20)))
    (tmp_path / "out").mkdir()
    with pytest.raises(Unreadable, match="larger than"):
        unpack(str(bad), str(tmp_path / "out"))


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIMITS, "MAX_MEMBERS", 3)
    bad = archive(tmp_path / "many.tar.gz", *((f"{i}.log", b"") for i in range(5)))
    (tmp_path / "out").mkdir()
    with pytest.raises(Unreadable, match="members"):
        unpack(str(bad), str(tmp_path / "out"))


Damage = Callable[[bytes], bytes]


@pytest.mark.parametrize(
    "damage",
    [
        lambda d: d[: len(d) // 2],
        lambda d: b"\x1f\x8b" + b"junk" * 40,
        lambda d: d[:40] + os.urandom(60),
    ],
)
def test_a_damaged_archive_is_told_in_one_line(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Damage
) -> None:
    target = packed(run, tmp_path)
    target.write_bytes(damage(target.read_bytes()))
    assert main(["diagnose", str(target), "--lang", "en"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "no archive" in said


def test_only_archives_are_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / "log.tar.gz").write_text("just a log", "utf-8")
    assert not is_bundle(str(tmp_path / "log.tar.gz"))
    assert not is_bundle(str(tmp_path / "none.tar.gz"))
    assert not is_bundle(str(tmp_path))


@pytest.mark.parametrize(
    ("members", "bundle"),
    [
        (["000.txt", "000.json", "001.txt", "001.json"], False),
        (["a/000.jpg", "a/000.cls", "a/001.jpg", "a/001.cls", "a/002.jpg"], False),
        (["00.txt", "01.txt", "02.txt"], False),
        (["run/train.log", "run/train.out", "run/config.yaml"], True),
        (["log.txt", "notes.txt"], True),
        (["run/rank0.log", "run/rank1.log"], True),
    ],
)
def test_a_shard_of_samples_is_data_and_a_tar_of_texts_a_run(
    members: list[str], bundle: bool, tmp_path: Path
) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        for name in members:
            info = tarfile.TarInfo(name)
            info.size = 4
            archive.addfile(info, io.BytesIO(b"text"))
    assert is_bundle(str(tmp_path / "x.tar")) is bundle
