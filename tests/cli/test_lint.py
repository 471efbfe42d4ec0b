"""``medic lint`` as a user calls it: answers, contracts, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .given import PRETRAIN, Run, data


@pytest.mark.smoke
def test_lint_computes_the_steps(run: Run, pretrain: Path) -> None:
    code, out, _ = run("lint", str(pretrain))
    assert code == 1
    assert f"{pretrain}:7:14: total-steps-mismatch" in out
    assert "238,418" in out


def test_lint_shows_writes_and_undoes(run: Run, pretrain: Path) -> None:
    before = pretrain.read_bytes()
    code, out, _ = run("lint", str(pretrain), "--diff", "--unsafe-fixes")
    assert code == 1
    assert "+total_steps: 238418     # planned" in out
    assert pretrain.read_bytes() == before
    assert run("lint", str(pretrain), "--fix")[0] == 1
    assert pretrain.read_bytes() == before, "the tokens may be wrong as well as the steps"
    code, _, err = run("lint", str(pretrain), "--fix", "--unsafe-fixes")
    assert code == 0
    assert "medic undo" in err
    assert b"total_steps: 238418     # planned" in pretrain.read_bytes()
    assert run("lint", str(pretrain))[0] == 0
    assert run("undo", "c1")[0] == 0
    assert pretrain.read_bytes() == before


@pytest.mark.parametrize("form", ["json", "concise", "github", "sarif"])
def test_lint_formats(run: Run, pretrain: Path, form: str) -> None:
    code, out, _ = run("lint", str(pretrain), "--format", form)
    assert code == 1
    assert "total-steps-mismatch" in out
    if form == "json":
        found = data(out, "lint")
        assert found["run_config"]["total_steps"]["value"] == 100000  # type: ignore[index]
    if form == "sarif":
        assert json.loads(out)["version"] == "2.1.0"


def test_lint_selects_and_ignores(run: Run, pretrain: Path) -> None:
    assert run("lint", str(pretrain), "--ignore", "total-steps-mismatch")[0] == 0
    assert run("lint", str(pretrain), "--select", "SCH-*")[0] == 1
    code, _, err = run("lint", str(pretrain), "--select", "total-step-mismatch")
    assert code == 2
    assert 'did you mean "total-steps-mismatch"' in err


def test_set_gives_what_no_file_states(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(PRETRAIN.replace("data_parallel_size: 64\n", ""))
    assert run("lint", str(file))[0] == 0
    assert run("lint", str(file), "--set", "data_parallel_size=64")[0] == 1
    code, _, err = run("lint", str(file), "--set", "data_paralel_size=64")
    assert code == 2
    assert 'the nearest is "data_parallel_size"' in err


TRAIN = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("--training-lr", type=float)
parser.add_argument("--optimization-use-compile", action="store_true")
parser.parse_args()
"""


@pytest.mark.parametrize(
    ("flags", "name", "words"),
    [
        ("--training-learning-rate 1e-4", "misspelt-flag", "--training-lr is meant"),
        ("--optimization-use-compile true", "boolean-flag-with-value", "takes no value"),
    ],
)
def test_flags_against_the_script(
    run: Run, tmp_path: Path, flags: str, name: str, words: str
) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "launch.sh").write_text(f"torchrun --nproc-per-node 8 train.py {flags}\n")
    code, out, _ = run("lint", str(tmp_path / "launch.sh"), str(tmp_path / "train.py"))
    assert code == 1
    assert name in out
    assert words in " ".join(out.split())


def test_a_file_that_cannot_be_read_stops_a_launch(run: Run, pretrain: Path) -> None:
    good = pretrain.parent / "good.yaml"
    good.write_text("learning_rate: 1.0e-4\n")
    broken = pretrain.parent / "broken.yaml"
    broken.write_text("lr: [1, 2\n")
    assert run("lint", str(good))[0] == 0
    assert run("lint", str(good), str(broken))[0] == 1
    assert run("lint", str(good), str(broken), "--exit-zero")[0] == 0


def test_the_diff_of_a_windows_file_is_exact(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes(PRETRAIN.replace("\n", "\r\n").encode())
    _, out, _ = run("lint", str(file), "--diff", "--unsafe-fixes")
    assert "-total_steps: 100000     # planned\r" in out
