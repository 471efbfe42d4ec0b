"""Progress told in numbers is no complaint; a fall that is none, or too far, may be one."""

from __future__ import annotations

import pytest

from medic.match.progress import makes_progress, progresses

WELL = [
    "Loss falls from 3.1 to 0.6, recall@10 rises from 71 to 83 on the dev set.",
    "The loss goes down from 2.3 to 1.1.",
    "accuracy improves from 41% to 58%",
    "F1 on the test set increased from 12 to 30",
    "验证集上的准确率从 60 提升到 80",
    "CE 1.9 -> 1.4, KL 0.8 -> 0.3, accuracy 52 -> 58",
    "loss 从 1.3 降到 0.25，准确率从 60 提高到 80。",
]
OTHERWISE = [
    "Train loss falls from 2.1 to 0.7 and accuracy drops from 60 to 40.",
    "loss drops from 2.3 to 0.01",
    "The loss falls from 2.31 to 2.29.",
    "the loss drops from 1.2 to 0.7 at each epoch",
    "Loss falls from 3.0 to 1.2, but the outputs are garbage.",
    "loss 从 2.3 降到 0.9 然后变成 nan",
    "The loss is stuck.",
    "loss 1.2 -> 7.5",
    "loss 2.0 -> 1.1, entropy 0.6 -> 0.02",
    "F1 increased from 12 to 80 with the test set in training",
    "recall rises from 40 to 70 on the data that it was trained on",
    "accuracy rises from 0.3 to 0.9 for the longest answers",
    "accuracy over night rises from 30 to 90",
    "准确率从 12 提高到 80，测试集混进了训练集",
    "suddenly accuracy improves from 41% to 58%",
]


@pytest.mark.parametrize("text", WELL)
def test_progress(text: str) -> None:
    assert progresses(text)


@pytest.mark.parametrize("text", OTHERWISE)
def test_no_progress(text: str) -> None:
    assert not progresses(text)


def test_a_score_that_rises_is_ease_and_a_loss_that_falls_is_not() -> None:
    assert makes_progress("256 per device. Loss falls from 3.1 to 0.6, recall rises from 71 to 83.")
    assert not makes_progress("Loss 1.9 -> 0.4. The scores are those of the base model.")
    assert not makes_progress("F1 increased from 12 to 80 with the test set in training.")
    assert not makes_progress("F1 rose from 12 to 80. The test set is part of the training data.")
