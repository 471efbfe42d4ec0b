"""What a bundle keeps of a long log's middle: the first error, wherever it stands."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from medic.bundle import make
from medic.bundle.middle import ALIKE, Middle
from medic.case.collect import collect
from medic.commands import main

OOM = (
    "[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 5 has a "
    "total capacity of 79.11 GiB of which 1.32 GiB is free. Including non-PyTorch memory, this process "
    "has 77.78 GiB memory in use. Of the allocated memory 74.12 GiB is allocated by PyTorch, and "
    "2.50 GiB is reserved by PyTorch but unallocated.\n"
)
VICTIM = (
    "[rank0]:[E ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=250003, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for "
    "600037 milliseconds before timing out.\n"
)


@pytest.fixture(autouse=True)
def _small(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("WHOLE", 80_000), ("BEGIN", 10_000), ("END", 60_000)):
        monkeypatch.setattr(sys.modules["medic.bundle.content"], name, value)
    monkeypatch.setattr(sys.modules["medic.bundle.middle"], "THINNED", 5_000)


def steps(first: int, count: int) -> str:
    return "".join(f"step {n} loss {2 + 1 / (n + 1):.4f}\n" for n in range(first, first + count))


def verdicts(capsys: pytest.CaptureFixture[str], path: Path) -> tuple[object, list[str]]:
    main(["diagnose", str(path), "--json"])
    found = json.loads(capsys.readouterr().out)
    return found["verdict"], [c["name"] for c in found["causes"]][:3]


@pytest.mark.parametrize("at", [1_000, 6_000, 11_000])
def test_the_root_error_of_the_middle_is_diagnosed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], at: int
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    log = steps(0, at) + OOM + steps(at, 12_000 - at) + VICTIM
    (run / "train.log").write_text(log, "utf-8")
    made = make(collect([str(run)]), str(tmp_path / "b.tar.gz"), with_host=False)
    assert 100_000 < made.files[0]["cut_bytes"] < len(log) - 60_000
    assert verdicts(capsys, tmp_path / "b.tar.gz") == verdicts(capsys, run)
    main(["diagnose", str(tmp_path / "b.tar.gz"), "--lang", "en"])
    assert "left out by medic collect" in " ".join(capsys.readouterr().out.split())


def test_a_log_that_was_not_cut_is_not_told_as_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.log").write_text(steps(0, 100) + OOM, "utf-8")
    make(collect([str(tmp_path / "train.log")]), str(tmp_path / "b.tar.gz"), with_host=False)
    main(["diagnose", str(tmp_path / "b.tar.gz"), "--lang", "en"])
    assert "left out by" not in " ".join(capsys.readouterr().out.split())


def test_lines_about_trouble_keep_their_neighbours_and_do_not_flood() -> None:
    middle = Middle()
    for n in range(5_000):
        middle.add(f"step {n}".encode())
        middle.add(f"warning: step {n} skipped".encode())
        if n == 4_321:
            middle.add(b"Traceback (most recent call last):")
    kept = list(middle.lines())
    assert sum(b"warning" in line for line in kept) < 3 * ALIKE
    at = kept.index(b"Traceback (most recent call last):")
    assert kept[at - 2 : at] == [b"step 4321", b"warning: step 4321 skipped"]
    total = sum(len(f"step {n}\nwarning: step {n} skipped\n") for n in range(5_000)) + 35
    assert middle.dropped == total - sum(len(line) + 1 for line in kept[1:-1])
