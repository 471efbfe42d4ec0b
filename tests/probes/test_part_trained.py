"""A run from random weights that trains a part of them alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

PLAIN = "model: {vocab_size: 4096, d_model: 256, n_layer: 4, n_head: 4}\n"
FEW = "trainable parameters: 1.05M of 5.32M"


def run_of(folder: Path, counted: str, config: str = PLAIN, first: float = 8.38) -> Result:
    rows = [f"2026-03-01 10:00:00 [rank0] INFO pretrain: {counted}\n"]
    rows += [
        f"2026-03-01 10:{n // 60:02d}:{n % 60:02d} [rank0] INFO pretrain: step {n}/120 "
        f"loss={first - min(2.0, n * 0.05):.4f} lr=3.000e-04 gnorm=0.{40 + n % 7}\n"
        for n in range(1, 121)
    ]
    rows.append("2026-03-01 10:03:00 [rank0] INFO pretrain: training finished after 120 steps\n")
    (folder / "train.log").write_text("".join(rows))
    (folder / "config.yaml").write_text(
        config + "train: {seq_len: 256, micro_batch_size: 16, lr: 0.0003, max_steps: 120}\n"
    )
    return judge(Labelled("run", folder=str(folder)), load())


@pytest.mark.parametrize(
    "counted",
    [
        FEW,
        "trainable params: 1,050,112 / 5,318,656 (19.7%)",
        "model parameters: 5.32M, trainable: 1.05M",
        "trainable params: 1,050,112 || all params: 5,318,656 || trainable%: 19.74",
    ],
)
def test_the_most_of_random_weights_is_frozen(tmp_path: Path, counted: str) -> None:
    found = run_of(tmp_path, counted)
    assert (found.verdict, found.named[0]) == ("likely", "nothing-is-trained")


@pytest.mark.parametrize(
    ("counted", "config", "first"),
    [
        ("trainable parameters: 5.32M of 5.32M", PLAIN, 8.38),
        ("non-trainable params: 1.05M of 5.32M", PLAIN, 8.38),
        (FEW, PLAIN, 3.1),  # trained weights begin here
        (FEW, PLAIN + "init_from: gpt2\n", 8.38),
        (FEW, PLAIN + "lora: {r: 8}\n", 8.38),
    ],
)
def test_what_is_trained_as_meant(tmp_path: Path, counted: str, config: str, first: float) -> None:
    assert "nothing-is-trained" not in run_of(tmp_path, counted, config, first).named
