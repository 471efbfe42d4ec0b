"""A clip so far below the gradients that SGD hardly moves."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

CLIP = "clip-threshold-unusual"
SGD = 'opt = torch.optim.SGD(model.parameters(), C["lr"], momentum=0.9)\n'
ADAM = 'opt = torch.optim.AdamW(model.parameters(), C["lr"])\n'


def run_of(folder: Path, code: str, clip: float, low: float) -> Result:
    losses = [low + (2.33 - low) * math.exp(-n / 8) for n in range(40)]
    rows = [f"step {10 * n} loss {v:.4f} lr 0.1 grad_norm {0.7 + 0.01 * (n % 5):.3f}\n"
            for n, v in enumerate(losses)]  # fmt: skip
    (folder / "train.log").write_text("".join(rows) + "done\n")
    (folder / "cfg.yaml").write_text(f"num_classes: 10\nlr: 0.1\nclip_grad: {clip}\n")
    (folder / "main.py").write_text(f"import torch\n{code}loss.backward()\nopt.step()\n")
    return judge(Labelled("run", folder=str(folder)), load())


def test_each_step_is_a_thousandth_of_its_rate(tmp_path: Path) -> None:
    assert run_of(tmp_path, SGD, 0.0005, 2.28).named[0] == CLIP


@pytest.mark.parametrize(
    ("code", "clip", "low"),
    [
        (ADAM, 0.0005, 2.28),  # divides by the size of the gradients
        (SGD + ADAM, 0.0005, 2.28),
        (SGD, 0.0005, 0.3),  # it learns: so large a rate was meant
        (SGD, 0.05, 2.28),
    ],
)
def test_a_clip_that_does_not_slow_the_run(
    tmp_path: Path, code: str, clip: float, low: float
) -> None:
    assert CLIP not in run_of(tmp_path, code, clip, low).named[:1]
