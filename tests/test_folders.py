"""What of a folder is evidence, and what is said of the rest."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from medic.bundle import make
from medic.case.collect import collect
from medic.errors import UsageError


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Paths that may not be read, also by the superuser that tests may run as."""
    refused: set[str] = set()
    scandir, access, opened, low = os.scandir, os.access, Path.open, os.open

    def no(path: Any) -> None:
        if str(path) in refused:
            raise PermissionError(13, "Permission denied", str(path))

    def scan(path: Any) -> Any:
        no(path)
        return scandir(path)

    def open_path(self: Path, *args: Any, **kwargs: Any) -> Any:
        no(self)
        return opened(self, *args, **kwargs)

    def open_low(path: Any, *args: Any, **kwargs: Any) -> int:
        no(path)
        return low(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", open_low)
    monkeypatch.setattr(os, "scandir", scan)
    monkeypatch.setattr(os, "access", lambda p, mode: str(p) not in refused and access(p, mode))
    monkeypatch.setattr(Path, "open", open_path)
    return refused


def test_what_may_not_be_read_is_told(tmp_path: Path, refusing: set[str]) -> None:
    (tmp_path / "train.log").write_text("step 1 loss 2.0\n")
    (tmp_path / "node2").mkdir()
    (tmp_path / "metrics.jsonl").write_text('{"step": 1, "loss": 2.0}\n')
    refusing |= {str(tmp_path / "node2"), str(tmp_path / "metrics.jsonl")}
    case = collect([str(tmp_path)])
    assert [Path(f.path).name for f in case.files] == ["train.log"]
    told = {Path(n.file).name: n.en for n in case.not_read}
    assert told == dict.fromkeys(("node2", "metrics.jsonl"), "no permission to read it")
    made = make(case, str(tmp_path / "b.tar.gz"), with_host=False)
    assert {Path(row["name"]).name for row in made.left_out} == set(told)


def test_many_that_may_not_be_read_are_counted(tmp_path: Path, refusing: set[str]) -> None:
    (tmp_path / "train.log").write_text("step 1 loss 2.0\n")
    for number in range(25):
        (tmp_path / f"node{number}").mkdir()
        refusing.add(str(tmp_path / f"node{number}"))
    told = collect([str(tmp_path)]).not_read
    assert len(told) == 21
    assert told[-1].en == "5 more cannot be read"


def test_a_file_given_by_name_that_may_not_be_read(tmp_path: Path, refusing: set[str]) -> None:
    file = tmp_path / "odd"
    file.write_text("step 1 loss 2.0\n")
    refusing.add(str(file))
    with pytest.raises(UsageError, match="no permission to read it"):
        collect([str(file)])


@pytest.mark.parametrize("name", ["old", "backup", "archive_1", "prev"])
def test_a_run_that_was_put_aside_is_named_and_not_read(tmp_path: Path, name: str) -> None:
    aside = tmp_path / name / "logs"
    aside.mkdir(parents=True)
    (aside / "rank0.stderr.log").write_text(
        "[rank0]: torch.OutOfMemoryError: CUDA out of memory.\n"
    )
    assert [f.kind for f in collect([str(tmp_path)]).files] == ["log"]  # there is no other run
    (tmp_path / "train.log").write_text("step 1 | loss 7.5\n")
    case = collect([str(tmp_path)])
    assert [Path(f.path).name for f in case.files] == ["train.log"]
    (left,) = case.not_read
    assert left.file.endswith(f"{name}/")
    assert "1 files of an earlier run that was put aside" in left.en


def test_a_folder_that_only_begins_alike_is_read(tmp_path: Path) -> None:
    (tmp_path / "olddata").mkdir()
    (tmp_path / "olddata" / "train.log").write_text("step 1 | loss 7.5\n")
    (tmp_path / "train.log").write_text("step 1 | loss 7.5\n")
    assert len(collect([str(tmp_path)]).files) == 2


@pytest.mark.parametrize("own", [False, True])
def test_what_wandb_kept_of_the_console(tmp_path: Path, own: bool) -> None:
    """It counts where the run left no log of its own, which it would repeat."""
    kept = tmp_path / "wandb" / "offline-run-20260501_100000-ab12cd34" / "files"
    kept.mkdir(parents=True)
    (kept / "output.log").write_text("step 1 loss 2.5\n")
    (kept / "wandb-summary.json").write_text("{}")
    if own:
        (tmp_path / "train.log").write_text("step 1 loss 2.5\n")
    names = [Path(f.name).name for f in collect([str(tmp_path)]).files]
    assert names == (["train.log"] if own else ["output.log"])


def test_a_folder_of_empty_files_is_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "train.log").touch()
    (tmp_path / "rank_1.log").write_text(" \n")
    with pytest.raises(UsageError, match="all its files are empty"):
        collect([str(tmp_path)])
    (tmp_path / "config.yaml").write_text("lr: 1\n")
    assert len(collect([str(tmp_path)]).files) == 3


@pytest.mark.parametrize("names", [("node_a", "node_b"), ("gpu-07", "gpu-08")])
@pytest.mark.parametrize(
    ("logs", "one"),
    [
        ((["rank0.log", "rank1.log"], ["rank2.log"]), True),
        ((["rank0.log", "rank1.log"], ["rank0.log", "rank1.log"]), False),  # two runs
        ((["rank0.log", "rank1.log"], ["rank4.log"]), False),
        ((["rank0.log"], ["train.log"]), False),
    ],
)
def test_folders_with_other_ranks_of_one_world_are_one_run(
    tmp_path: Path, names: tuple[str, str], logs: tuple[list[str], list[str]], one: bool
) -> None:
    for name, files in zip(names, logs, strict=True):
        (tmp_path / name).mkdir()
        for file in files:
            (tmp_path / name / file).write_text("step 1 loss 2.0\nstep 2 loss 1.9\n")
    case = collect([str(tmp_path)])
    assert (case.runs == ()) is one
    if one:
        assert {f.rank for f in case.files} == {0, 1, 2}


def test_pipes_sockets_and_links_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with the name of a log may hide what went wrong; others are told aside."""
    run, away = tmp_path / "run", tmp_path / "away"
    run.mkdir()
    away.mkdir()
    (run / "train.log").write_text("step 1 loss 2.0\n")
    (away / "rank1.log").write_text("step 1 loss 2.0\n")
    os.mkfifo(run / "live.log")
    monkeypatch.chdir(run)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("agent.sock")
        (run / "rank1.log").symlink_to(away / "rank1.log")
        (run / "gone.log").symlink_to("nowhere.log")
        (run / "same.log").symlink_to("train.log")
        (run / "null.log").symlink_to("/dev/null")
        (run / "data").symlink_to(away)
        (run / "weights.h").symlink_to(away / "rank1.log")
        told = {n.file: (n.en.split(":")[0], n.aside) for n in collect([str(run)]).not_read}
    assert told == {
        "live.log": ("a pipe", False),
        "agent.sock": ("a socket, no file", True),
        "rank1.log": (f"a link out of the folder, to {away}/rank1.log", False),
        "gone.log": ("a link to nowhere.log, which is not there", False),
        "null.log": ("a device, no file", False),
        "data": (f"a link out of the folder, to {away}", True),
    }
