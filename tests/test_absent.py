"""What a person says that the run does not have, and what is only said of a part of it."""

from __future__ import annotations

import time

import pytest

from medic.index.knowledge import load
from medic.told.absent import features, symptoms

CALLED = load().told["called"]

CONDITIONAL = [
    "On one GPU it does not hang. On eight it stops.",
    "it does not hang. On eight it does.",
    "with micro batch 4 there is no OOM",
    "With micro batch 4, there is no OOM.",
    "micro batch 4 has no OOM",
    "no OOM in fp32",
    "there is no NaN, when the data is small",
    "it does not hang, but with more GPUs it stands still",
    "I lowered the lr, no NaN",
    "yesterday it did not hang",
    "单卡没有卡住",
    "单卡跑，没有卡住",
    "小数据没有 NaN",
    "之前没有卡住",
    "micro batch 调到 4，没有 OOM",
    "没有卡住，换成八卡才停住",
    "the old run did not use FSDP, the new one does",
    "之前没有用 FSDP",
    "on one node, FSDP is off",
    "the baseline does not use ZeRO",
]


@pytest.mark.parametrize("text", CONDITIONAL)
def test_a_denial_with_a_condition_denies_nothing_of_the_run(text: str) -> None:
    assert not [*features(text)]
    assert not [*symptoms(text, CALLED)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("no NaN, no OOM", ["loss-nan", "cuda-out-of-memory"]),
        ("it does not hang. It stops with an error.", ["training-hangs"]),
        ("the loss does not go down and there is no NaN", ["loss-nan"]),
        ("no NaN in the logs", ["loss-nan"]),
        ("we see no NaNs so far", ["loss-nan"]),
        ("训练没有卡住，日志里没有 NaN", ["loss-nan", "training-hangs"]),
    ],
)
def test_a_denial_without_a_condition_holds(text: str, names: list[str]) -> None:
    assert sorted(name for name, _ in symptoms(text, CALLED)) == sorted(names)


def test_many_denials_take_no_time() -> None:
    began = time.process_time()
    assert not [*symptoms("no nan, " * 2000, CALLED)][300:]
    assert time.process_time() - began < 2
