"""Short runs made from a config: the numbers, the files, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.errors import UsageError
from medic.experiments import Made, make, write
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.runner.run import observe

INDEX = load()
CONFIG = """\
# the run of the week
model: {hidden_size: 1024, num_layers: 12, num_heads: 16, vocab_size: 50304}
training:
  micro_batch_size: 8   # per GPU
  gradient_accumulation_steps: 4
  seq_len: 4096
  total_steps: 20000
  lr: 4.0e-4
  min_lr: 4.0e-5
  warmup_steps: 1000
  precision: bf16
distributed:
  gpus_per_node: 8
  data_parallel_size: 8
"""
LAUNCH = "#!/bin/bash\ntorchrun --nproc-per-node=8 train.py --config conf/pretrain.yaml\n"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "pretrain.yaml").write_text(CONFIG)
    (tmp_path / "launch.sh").write_text(LAUNCH)
    return tmp_path


def made(run: Path, experiment: str) -> tuple[Made, ...]:
    files = [str(run / "conf" / "pretrain.yaml"), str(run / "launch.sh")]
    evidence = observe(collect(files), INDEX, all_probes(("config", "flags")))
    return make(experiment, evidence.facts, INDEX, files[1:])  # type: ignore[arg-type]


def config_of(trial: Made) -> str:
    return next(data for name, data in trial.files.items() if name.endswith(".yaml")).decode()


def test_a_range_test_changes_the_rate_and_the_length_only(run: Path) -> None:
    trials = made(run, "lr-range-test")
    assert [t.name for t in trials] == ["lr-0.5x", "lr-1x", "lr-2x"]
    for trial, rate, low in zip(
        trials, ("2.0e-4", "4.0e-4", "8.0e-4"), ("2.0e-5", "4.0e-5", "8.0e-5"), strict=True
    ):
        text = config_of(trial)
        assert f"lr: {rate}" in text
        assert f"min_lr: {low}" in text
        assert "total_steps: 1500" in text
        assert "warmup_steps: 150" in text
        assert "micro_batch_size: 8   # per GPU" in text
        assert "gradient_accumulation_steps: 4" in text
        assert "# the run of the week" in text


def test_the_smallest_run_has_one_gpu_and_one_short_sequence(run: Path) -> None:
    (trial,) = made(run, "smallest-repro")
    text = config_of(trial)
    for line in (
        "micro_batch_size: 1",
        "gradient_accumulation_steps: 1",
        "seq_len: 512",
        "total_steps: 10",
        "data_parallel_size: 1",
    ):
        assert line in text
    script = next(data for name, data in trial.files.items() if name.endswith(".sh"))
    assert b"--nproc-per-node=1 " in script


def test_the_copies_point_at_each_other_and_the_originals_stay(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    written = write(made(run, "lr-range-test"), out)
    assert (out / "lr-2x" / "changes.patch") in written
    script = (out / "lr-2x" / "launch.sh").read_text()
    assert f"--config {out}/lr-2x/pretrain.yaml" in script
    assert (run / "conf" / "pretrain.yaml").read_text() == CONFIG
    assert (run / "launch.sh").read_text() == LAUNCH


def test_nothing_is_written_over(run: Path, tmp_path: Path) -> None:
    trials = made(run, "lr-range-test")
    write(trials, tmp_path / "out")
    (tmp_path / "out" / "lr-0.5x" / "launch.sh").write_text("mine")
    (tmp_path / "out" / "lr-1x" / "launch.sh").unlink()
    with pytest.raises(UsageError, match="already"):
        write(trials, tmp_path / "out")
    assert not (tmp_path / "out" / "lr-1x" / "launch.sh").exists()
    assert (tmp_path / "out" / "lr-0.5x" / "launch.sh").read_text() == "mine"


def test_a_config_without_a_rate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "pretrain.yaml").write_text("training:\n  micro_batch_size: 8\n")
    (tmp_path / "launch.sh").write_text(LAUNCH)
    with pytest.raises(UsageError, match="learning_rate"):
        made(tmp_path, "lr-range-test")
