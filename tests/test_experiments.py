"""Short runs made from a config: the numbers, the files, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.errors import UsageError
from medic.experiments import Made, make, placed, write
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
    written = write(placed(made(run, "lr-range-test"), out), out)
    assert (out / "lr-2x" / "changes.patch") in written
    script = (out / "lr-2x" / "launch.sh").read_text()
    assert f"--config {out}/lr-2x/pretrain.yaml" in script
    assert (run / "conf" / "pretrain.yaml").read_text() == CONFIG
    assert (run / "launch.sh").read_text() == LAUNCH


def test_nothing_is_written_over(run: Path, tmp_path: Path) -> None:
    trials = placed(made(run, "lr-range-test"), tmp_path / "out")
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


@pytest.mark.parametrize(
    "named",
    ["--config /job/a/pretrain.yaml", "--config=$RUN/pretrain.yaml", "pretrain.yaml"],
)
def test_a_run_that_was_copied_is_pointed_at_the_copies(run: Path, named: str) -> None:
    (run / "launch.sh").write_text(LAUNCH.replace("--config conf/pretrain.yaml", named))
    for trial in placed(made(run, "lr-range-test"), run / "out"):
        script = trial.files[str(run / "launch.sh")].decode()
        flag = named.removesuffix(named.replace("=", " ").split()[-1])
        line = f"torchrun --nproc-per-node=8 train.py {flag}{run}/out/{trial.name}/pretrain.yaml\n"
        assert script == f"#!/bin/bash\n{line}"
        assert f"\n+{line}" in trial.diff
        assert trial.unnamed == ()


def test_of_two_files_of_one_name_the_own_one_is_pointed(run: Path) -> None:
    (run / "launch.sh").write_text(LAUNCH.rstrip() + " --engine other/pretrain.yaml\n")
    (first, *_) = placed(made(run, "lr-range-test"), run / "out")
    script = first.files[str(run / "launch.sh")].decode()
    assert f"--config {run}/out/lr-0.5x/pretrain.yaml --engine other/pretrain.yaml" in script


def test_a_script_that_does_not_name_the_config_is_told(run: Path) -> None:
    (run / "launch.sh").write_text(LAUNCH.replace("conf/pretrain.yaml", "$CONFIG"))
    for trial in placed(made(run, "lr-range-test"), run / "out"):
        assert trial.unnamed == (run / "out" / trial.name / "pretrain.yaml",)


@pytest.mark.parametrize(
    ("flag", "own"),
    [
        ("--log-dir /job/logs/ ", "--log-dir /job/logs-lr-2x "),
        ('--log_dir="$OUT/logs" ', '--log_dir="$OUT/logs-lr-2x" '),
        ("--tensorboard-dir $OUT ", "--tensorboard-dir $OUT-lr-2x "),
        ("--log-level info ", "--log-level info "),
    ],
)
def test_each_trial_logs_into_a_folder_of_its_own(run: Path, flag: str, own: str) -> None:
    (run / "launch.sh").write_text(LAUNCH.replace("train.py ", f"{flag}train.py "))
    trial = made(run, "lr-range-test")[-1]
    assert own in trial.files[str(run / "launch.sh")].decode()
    assert (f"+torchrun --nproc-per-node=8 {own}" in trial.diff) is (own != flag)


@pytest.mark.parametrize("named", ["absolute", "by-variable", "relative"])
def test_a_script_that_names_its_config_from_anywhere_still_does(
    run: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = run / "conf" / "pretrain.yaml"
    words = {"absolute": str(config), "by-variable": "$ROOT/conf/pretrain.yaml"}
    launch = LAUNCH.replace("conf/pretrain.yaml", words.get(named, "conf/pretrain.yaml"))
    (run / "launch.sh").write_text(launch)
    monkeypatch.chdir(run)
    (first, *_) = placed(made(run, "lr-range-test"), Path("../lrr"))
    script = next(data for name, data in first.files.items() if name.endswith(".sh")).decode()
    copy = Path("../lrr") / first.name / "pretrain.yaml"
    assert f"--config {copy if named == 'relative' else copy.absolute()}" in script
