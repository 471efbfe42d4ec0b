"""The loss of trained weights before their first step."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

TOKENIZER = "tokenizer-not-of-this-model"


def run_of(folder: Path, config: str, line: str, vocabulary: str = "256 entries") -> Result:
    steps = [f"step {n} loss {6 - n / 20:.3f} lr 1e-3\n" for n in range(1, 40)]
    text = f"tokenizer freq-v2 ({vocabulary})\n{line}\n{''.join(steps)}done\n"
    (folder / "sft.log").write_text(text)
    (folder / "sft.yaml").write_text(f"{config}lr: 0.001\nbatch_size: 64\n")
    return judge(Labelled("run", folder=str(folder)), load())


def test_worse_than_a_guess_before_the_first_step(tmp_path: Path) -> None:
    line = "before training: eval_loss 8.6517 exact_match 0.000"
    found = run_of(tmp_path, "base_checkpoint: base.pt\n", line)
    assert found.named[0] == TOKENIZER


@pytest.mark.parametrize(
    ("config", "line", "vocabulary"),
    [
        ("base_checkpoint: base.pt\n", "before training: eval_loss 3.1", "256 entries"),
        ("base_checkpoint: base.pt\n", "before training: eval_loss 8.65", "50,257 entries"),
        ("base_checkpoint: base.pt\n", "after training: eval_loss 8.65", "256 entries"),
        ("d_model: 128\n", "before training: eval_loss 8.65", "256 entries"),  # built anew
    ],
)
def test_a_start_that_tells_nothing_of_the_tokens(
    tmp_path: Path, config: str, line: str, vocabulary: str
) -> None:
    assert TOKENIZER not in run_of(tmp_path, config, line, vocabulary).named[:1]
