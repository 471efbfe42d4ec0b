"""Rows of an evaluation that call their loss only so, and iterations that each epoch counts anew."""

from __future__ import annotations

import pytest
from medic.probes.logs.steps import Steps


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("validate step: 300  set: books  loss: 6.2166", "eval_loss"),
        ("[eval] step 300 loss: 2.3", "eval_loss"),
        ("step: 300 | validation | loss: 2.3", "eval_loss"),
        ("evaluation at step 300: loss 6.2", "eval_loss"),
        ("test step 300 loss 2.2", "eval_loss"),
        ("2026-01-01 10:00:00 eval.py:33 step 300 loss 2.0", "loss"),
        ("step 300 loss 2.0 | eval every 100", "loss"),
        ("train and eval: train step 300 loss 2.0", "loss"),
        ("eval | step 300 loss 2.0 lr 1e-4", "loss"),
        ("run test-7 step 300 loss 2.0", "loss"),
    ],
)
def test_whose_loss_it_is(line: str, name: str) -> None:
    step = Steps().read(line)
    assert step is not None
    assert step.number == 300
    assert name in step.values
    assert len(step.values.keys() & {"loss", "eval_loss"}) == 1


@pytest.mark.parametrize(
    ("lines", "numbers"),
    [
        (
            [
                "Epoch [1/3] Iter [20/188] loss: 0.2",
                "Epoch [1/3] Iter [180/188] loss: 0.1",
                "Epoch [2/3] Iter [12/188] loss: 0.03",
                "Epoch [3/3] Iter [1/188] loss: 0.02",
            ],
            [20, 180, 200, 377],
        ),
        (
            [
                "Epoch 1/2, Step 100/300, loss: 0.2",
                "Epoch 2/2, Step 200/300, loss: 0.1",
                "Epoch 2/2, Step 300/300, loss: 0.1",
            ],
            [100, 200, 300],
        ),
    ],
)
def test_iterations_of_an_epoch_and_of_the_run(lines: list[str], numbers: list[int]) -> None:
    steps = Steps()
    assert [found.number for line in lines if (found := steps.read(line))] == numbers
    assert steps.planned is None
