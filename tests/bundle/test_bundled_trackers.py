"""Curves of trackers go into a bundle as text, and a bundle without a file is told by its name."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from medic.probes.curve.framed import masked

from medic.bundle import make, unpack
from medic.case.collect import collect
from medic.commands import main


def framed(data: bytes) -> bytes:
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked(head)) + data + struct.pack("<I", masked(data))


def event(step: int, loss: float) -> bytes:
    """An Event with wall_time (1), step (2) and a Summary (5) of one simple_value."""
    value = b"\x0a\x04loss" + b"\x15" + struct.pack("<f", loss)
    summary = b"\x0a" + bytes([len(value)]) + value
    return b"\x09" + struct.pack("<d", 1.0) + b"\x10" + bytes([step, 0x2A, len(summary)]) + summary


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    losses = [6.9 - 0.1 * n for n in range(40)] + [float("nan")] * 10
    data = b"".join(framed(event(n, loss)) for n, loss in enumerate(losses))
    (folder / "events.out.tfevents.1700000000.node.1.0").write_bytes(data)
    return folder


def test_a_curve_is_taken_along_and_read_elsewhere(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make(collect([str(run)]), str(tmp_path / "b.tar.gz"), with_host=False)
    assert [row["kind"] for row in made.files] == ["metrics"]
    assert made.left_out == []
    main(["diagnose", str(tmp_path / "b.tar.gz"), "--lang", "en"])
    assert "the loss is not a number at step 40" in capsys.readouterr().out


def test_a_broken_one_is_left_out_with_its_reason(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "train.log").write_text("step 1 loss 2.0\n", "utf-8")
    data = bytearray(framed(event(0, 1.0)))
    data[14] ^= 255
    (run / "events.out.tfevents.1.node").write_bytes(bytes(data[:20]))
    made = make(collect([str(run)]), str(tmp_path / "b.tar.gz"), with_host=False)
    assert [row["name"] for row in made.files] == ["run/train.log"]
    assert len(made.left_out) == 1
    unpack(made.path, str(tmp_path / "out"))
    assert not list((tmp_path / "out").rglob("*tensorboard*"))


def test_a_bundle_without_a_file_is_told_by_its_own_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "weights.bin").write_bytes(b"\x00" * 64)
    empty = tmp_path / "e.tar.gz"
    import tarfile

    with tarfile.open(empty, "w:gz") as archive:
        archive.add(tmp_path / "weights.bin", "medic-bundle/run/weights.xyz")
    assert main(["diagnose", str(empty)]) == 2
    said = capsys.readouterr().err
    assert "e.tar.gz" in said
    assert "medic-bundle-" not in said
