"""A learning rate that stands in the configuration under a name that no program reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CAUSE = "misspelt-config-key"
PROGRAM = (
    'import yaml\ncfg = yaml.safe_load(open("config.yaml"))\no = {"lr": 1e-5, **cfg["optim"]}\n'
)


def run_of(folder: Path, program: str, peak: float = 1e-5) -> Result:
    rows = []
    for step in range(10, 201, 10):
        rate = peak * min(1.0, step / 20, 1.1 - step / 200)
        rows.append(f"step {step}/200 loss={6.24 - step * 4e-4:.4f} lr={rate:.3e} gnorm=0.9\n")
    (folder / "train.log").write_text("".join(rows) + "training finished\n")
    (folder / "config.yaml").write_text(
        "optim: {learning_rate: 0.003, warmup_steps: 20}\ntrain: {micro_batch_size: 16, steps: 200}\n"
    )
    (folder / "train.py").write_text(program)
    return judge(Labelled("run", folder=str(folder)), load())


def test_a_key_that_stands_in_no_program(tmp_path: Path) -> None:
    assert run_of(tmp_path, PROGRAM).named[0] == CAUSE


@pytest.mark.parametrize(
    ("program", "peak"),
    [
        (PROGRAM + 'rate = cfg["optim"]["learning_rate"]\n', 1e-5),
        (PROGRAM + 'train(**cfg["optim"])\n', 1e-5),
        (PROGRAM, 0.0028),  # as it is set
    ],
)
def test_a_key_that_may_be_read(tmp_path: Path, program: str, peak: float) -> None:
    assert CAUSE not in run_of(tmp_path, program, peak).named
