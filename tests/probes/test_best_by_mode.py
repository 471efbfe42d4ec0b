"""Checkpoints that are called not among the best, and their values."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CAUSE = "best-model-by-another-measure"


def run_of(folder: Path, name: str, values: list[float], kept: set[int]) -> Result:
    text, best = "Seed set to 42\n", values[0]
    for epoch, value in enumerate(values):
        step = 60 * (epoch + 1)
        text += (
            f"Epoch {epoch}: 100%|██████████| 60/60 [00:07<00:00, 8.33it/s, v_num=0, "
            f"train_loss={4.4 - epoch * 0.3:.3f}, {name}={value:.3f}]\nEpoch {epoch}, global step {step}: "
        )
        best = value if epoch in kept else best
        text += (
            f"'{name}' reached {value:.5f} (best {best:.5f}), saving model to 'ckpt/b.ckpt' as top 1\n"
            if epoch in kept
            else f"'{name}' was not in top 1\n"
        )
    (folder / "train.log").write_text(
        text + f"`Trainer.fit` stopped: `max_epochs={len(values)}` reached.\n"
    )
    return judge(Labelled("run", folder=str(folder)), load())


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("val_loss", [4.935, 4.441, 4.211, 4.123, 4.091]),
        ("val_acc", [0.41, 0.52, 0.6, 0.63, 0.66]),
    ],
)
def test_better_ones_are_passed_over(tmp_path: Path, name: str, values: list[float]) -> None:
    assert run_of(tmp_path, name, values, {0}).named[0] == CAUSE


@pytest.mark.parametrize(
    ("name", "values", "kept"),
    [
        ("val_loss", [4.935, 4.441, 4.211, 4.323, 4.391], {0, 1, 2}),
        ("val_loss", [4.2, 4.3, 4.5, 4.4, 4.6], {0}),
        ("val_ratio", [4.935, 4.441, 4.211, 4.123, 4.091], {0}),  # which way is better is not told
    ],
)
def test_worse_ones_are(tmp_path: Path, name: str, values: list[float], kept: set[int]) -> None:
    assert CAUSE not in run_of(tmp_path, name, values, kept).named
