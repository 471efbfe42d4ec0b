"""Of several configurations beside a log: the one that the log is of, or what all of them state."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.run_config import RunConfig
from medic.runner.registry import all_probes
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis

A = """\
model_name_or_path: org/base-7b
cutoff_len: 2048
output_dir: out
per_device_train_batch_size: 8
gradient_accumulation_steps: 8
learning_rate: 3.0e-4
max_steps: 2000
warmup_steps: 100
lr_scheduler_type: cosine
logging_steps: 10
bf16: true
"""
B = A.replace("3.0e-4", "1.0e-5").replace("2000", "400").replace("steps: 8", "steps: 4")
START = (
    "***** Running training *****\n  Num examples = {n}\n  Num Epochs = 1\n"
    "  Instantaneous batch size per device = 8\n  Gradient Accumulation steps = {acc}\n"
    "  Total optimization steps = {n}\n"
)
END = (
    "{'train_runtime': 1200.1, 'train_samples_per_second': 10.1, 'train_loss': 2.3, 'epoch': 1.0}\n"
)


def rows(peak: float, steps: int, warmup: int = 100) -> str:
    lines = []
    for n in range(10, steps + 1, 10):
        left = (n - warmup) / (steps - warmup)
        rate = peak * n / warmup if n < warmup else peak * 0.5 * (1 + math.cos(math.pi * left))
        loss = 2.0 + 3 * math.exp(-5 * n / steps) + 0.01 * math.sin(n)
        lines.append(
            f"{{'loss': {loss:.4f}, 'grad_norm': 1.1, 'learning_rate': {rate:.6e}, "
            f"'epoch': {n / steps:.3f}}}"
        )
    return "\n".join(lines) + "\n" + END


SECOND = START.format(n=400, acc=4) + rows(1e-5, 400)


def seen(root: Path, files: dict[str, str]) -> tuple[RunConfig, Diagnosis]:
    for name, text in files.items():
        (root / name).write_text(text)
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(root)], this_host=False, index=index), probes)
    session.look()
    return session.evidence.fact(RunConfig) or RunConfig(), session.diagnosis()


@pytest.mark.parametrize(
    ("log", "text"),
    [
        ("train.log", SECOND),  # by what it prints at its start
        ("b-8812345.log", rows(1e-5, 400)),  # by its name
        ("train.log", "$ llamafactory-cli train b.yaml\n" + rows(1e-5, 400)),  # by its command
    ],
)
def test_the_log_says_which_of_two_it_is_of(tmp_path: Path, log: str, text: str) -> None:
    config, found = seen(tmp_path, {"a.yaml": A, "b.yaml": B, log: text})
    assert config.get("learning_rate") == 1e-5
    assert found.verdict == "healthy"
    assert [n.aside for n in found.not_read if n.file.endswith("a.yaml")] == [True]


def test_where_nothing_tells_only_what_both_state_is_known(tmp_path: Path) -> None:
    config, found = seen(tmp_path, {"a.yaml": A, "b.yaml": B, "train.log": rows(3e-4, 2000)})
    assert config.get("learning_rate") is None
    assert config.get("micro_batch_size") == 8
    assert found.verdict == "not-read-whole"
    (left,) = [n for n in found.not_read if "nothing tells" in n.en]
    assert "only what both state alike is used" in left.en


def test_a_lone_configuration_rules_whatever_it_is_called(tmp_path: Path) -> None:
    config, _ = seen(tmp_path, {"a.yaml": A, "old_a.yaml": B, "train.log": rows(3e-4, 2000)})
    assert config.get("learning_rate") == 3e-4


def test_what_the_first_start_printed_is_not_held_against_the_second_one(tmp_path: Path) -> None:
    """Both write to one place: starts of one run."""
    first = START.format(n=2000, acc=8) + rows(3e-4, 2000)
    files = {"stage1.yaml": A, "train.yaml": B, "stage1.log": first, "stage2.log": SECOND}
    files["run.sh"] = "llamafactory-cli train train.yaml\n"
    config, found = seen(tmp_path, files)
    assert config.get("learning_rate") == 1e-5
    named = {c.name for c in (*found.causes, *found.also_wrong)}
    assert not named & {"printed-value-differs", "engine-scheduler-overrides"}


def test_another_value_that_the_same_start_prints_is_told(tmp_path: Path) -> None:
    files = {"train.yaml": B, "train.log": START.format(n=400, acc=16) + rows(1e-5, 400)}
    _, found = seen(tmp_path, files)
    assert "printed-value-differs" in {c.name for c in (*found.causes, *found.also_wrong)}


def test_two_trainings_of_one_log_are_not_one_curve(tmp_path: Path) -> None:
    """The second is judged, by the configuration that it prints."""
    first = START.format(n=2000, acc=8) + rows(3e-4, 2000)
    config, found = seen(tmp_path, {"a.yaml": A, "b.yaml": B, "train.log": first + SECOND})
    assert config.get("learning_rate") == 1e-5
    assert found.verdict == "healthy"


def test_the_command_that_writes_the_log_is_read(tmp_path: Path) -> None:
    command = "python train.py --learning_rate {lr} --max_steps {n} --output_dir {o} > {o}.log\n"
    script = command.format(lr="1e-5", n=400, o="sft") + command.format(lr="3e-4", n=2000, o="pt")
    config, _ = seen(tmp_path, {"run.sh": script, "sft.log": rows(1e-5, 400)})
    assert config.get("learning_rate") == 1e-5


@pytest.mark.parametrize(
    ("copy", "aside"),
    [
        (A, True),
        ("".join(sorted(A.splitlines(keepends=True)[:9])), True),  # a part, in another order
        (A.replace("2000", "3000"), False),  # of another run
        (A + "seed: 7\n", False),  # more than the other states
    ],
)
def test_a_loggers_copy_is_no_other_run(tmp_path: Path, copy: str, aside: bool) -> None:
    (tmp_path / "csv").mkdir()
    files = {"hparams.yaml": A, "csv/hparams.yaml": copy, "run.out": rows(3e-4, 2000)}
    _, found = seen(tmp_path, files)
    left = [n for n in found.not_read if n.file.endswith("hparams.yaml")]
    assert [n.aside for n in left] == [aside]
    assert (found.verdict != "healthy") is not aside
