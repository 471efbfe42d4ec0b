"""Flags that a command gives as False."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CAUSE = "boolean-flag-with-value"


def run_of(folder: Path, given: str, made: str) -> Result:
    rows = "".join(
        f"step {n}/60 loss={6 - n * 0.03:.4f} lr=3.0e-04 gnorm=0.7\n" for n in range(1, 61)
    )
    (folder / "train.log").write_text(
        f"Namespace(out='ckpt', {made}, lr=0.0003)\n{rows}training finished\n"
    )
    (folder / "launch.sh").write_text(f"python sft.py --out ckpt {given} --lr 3e-4\n")
    return judge(Labelled("run", folder=str(folder)), load())


def test_false_is_made_true(tmp_path: Path) -> None:
    assert run_of(tmp_path, "--full_finetune False", "full_finetune=True").named[0] == CAUSE


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("--full_finetune False", "full_finetune=False"),
        ("--full_finetune True", "full_finetune=True"),
        ("--full_finetune False", "gradient_checkpointing=True"),
    ],
)
def test_as_it_is_given(tmp_path: Path, given: str, made: str) -> None:
    assert CAUSE not in run_of(tmp_path, given, made).named
