"""Step lines of trainers whose step has no name of its own, and lines that only look like them."""

from __future__ import annotations

import pytest
from medic.probes.logs.clock import Clock
from medic.probes.logs.prefix import Prefixes, message
from medic.probes.logs.steps import Step, Steps

MM = "06/01 12:00:00 - mmengine - INFO - "


def read(*lines: str) -> tuple[Step | None, Steps]:
    steps, prefixes, last = Steps(), Prefixes(), None
    for line in lines:
        last = steps.read(message(prefixes.read(line).body))
    return last, steps


@pytest.mark.parametrize(
    ("line", "number", "loss"),
    [
        (f"{MM}Epoch(train)  [1][ 50/400]  lr: 1.0e-02  time: 0.2  grad_norm: 5.1  loss: 2.3", 50, 2.3),
        (f"{MM}Epoch(train)  [3][100/400]  base_lr: 1e-2 lr: 1e-3  time: 0.2  loss: 2.1", 900, 2.1),
        (f"{MM}Iter(train) [  100/160000]  lr: 9.9e-03  loss: 1.9  decode.loss_ce: 1.5", 100, 1.9),
        ("2021-06-01 12:00:00,123 - mmdet - INFO - Epoch [2][50/7330]\tlr: 1.9e-03, loss: 2.1", 7380, 2.1),
        ("2021-06-01 12:00:00,123 - mmseg - INFO - Iter [50/160000]\tlr: 9.9e-03, loss: 3.4", 50, 3.4),
        ("[03/01 10:00:00 d2.utils.events]:  eta: 1:10:00  iter: 19  total_loss: 5.02  loss_cls: 4.2", 19, 5.02),
        ("Train: 1 [  50/1251 (  4%)]  Loss: 6.95 (6.95)  Time: 0.5s, 1000/s  LR: 1.0e-06", 1301, 6.95),
        ("Epoch: [0]  [  10/1251]  eta: 0:10:00  lr: 0.1  loss: 6.95 (6.99)", 10, 6.95),
        ("Epoch 1/9 ━━━━━ 50/1000 0:01:00 • 0:19:00 0.83it/s train_loss: 2.31", 1050, 2.31),
        ("{'loss': 1.23, 'epoch': 0.1, 'global_step/max_steps': '10/1000'}", 10, 1.23),
        ("progress:train 1.2kit/10.0kit rate:1.2it/s remaining:2:00 elapsed:01:10 postfix:loss=3.21", 1200, 3.21),
    ],
)  # fmt: skip
def test_a_step_is_read(line: str, number: int, loss: float) -> None:
    step, _ = read(line)
    assert step is not None
    assert (step.number, step.values["loss"]) == (number, loss)


@pytest.mark.parametrize(
    "line",
    [
        f"{MM}Epoch(val)  [1][100/100]    coco/bbox_mAP: 0.1  data_time: 0.01  time: 0.2",
        f"{MM}Iter(val) [ 50/100]    eta: 0:00:01  time: 0.2",
        "Downloading shards: [12/40] done",
        "12/40 files checked for a loss",
        "epoch     time",
    ],
)
def test_what_only_looks_like_one_is_none(line: str) -> None:
    assert read(line)[0] is None


def test_planned_steps_are_of_iterations_not_of_an_epoch() -> None:
    assert read(f"{MM}Iter(train) [100/160000]  lr: 9e-03  loss: 1.9")[1].planned == 160_000
    assert read(f"{MM}Epoch(train) [1][50/400]  lr: 9e-03  loss: 1.9")[1].planned is None


def test_keras_counts_on_over_epochs() -> None:
    step, _ = read("Epoch 2/3", "  50/1000 [>.........] - ETA: 10:00 - loss: 2.3026")
    assert step is not None
    assert (step.number, step.values["loss"]) == (1050, 2.3026)


def test_a_table_is_read_under_its_header() -> None:
    header = "epoch     train_loss  valid_loss  accuracy  time"
    row = "3         2.345678    2.123456    0.345678  00:45"
    step, _ = read(header, row)
    assert step is not None
    assert (step.number, step.values) == (3, {"loss": 2.345678, "eval_loss": 2.123456})
    assert read(row)[0] is None


def test_composer_names_the_batch_above_its_metrics() -> None:
    step, steps = read("[epoch=1][batch=10/4800]:", "\t Train loss/train/total: 10.9")
    assert step == Step(10, {"loss": 10.9})
    assert steps.planned == 4800


def test_counts_with_a_letter_and_memory_without_a_unit() -> None:
    nanotron = "iteration: 10 / 100 | elapsed_time_per_iteration_ms: 1.2K | tokens_per_sec: 3.4M | lm_loss: 9.9"
    step, _ = read(nanotron)
    assert step is not None
    assert (step.values["step_time"], step.values["tokens_per_s"]) == (1.2, 3_400_000.0)
    step, _ = read("step 1 loss 2.0 memory: 9000")
    assert step is not None
    assert step.values["memory"] == 9000 * 2**20
    step, _ = read("step 1 loss 2.0 memory: 40.5")
    assert step is not None
    assert step.values["memory"] == 40.5 * 2**30


def test_a_time_without_its_year_takes_the_year_of_the_file() -> None:
    known = Prefixes(clock=Clock(2026))
    assert (
        known.read(f"{MM}Iter(train) [1/2] loss: 1").time
        == known.read("2026-06-01 12:00:00 x").time
    )
    assert known.read("13/01 12:00:00 - x").time is None


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("Step | Training Loss | Validation Loss", "20 | 1.250000 | 1.500000"),
        ("| Step | Training Loss | Validation Loss |", "| 20 | 1.250000 | 1.500000 |"),
        ("Step\tTraining Loss\tValidation Loss", "20\t1.250000\t1.500000"),
    ],
)
def test_a_table_of_a_notebook(header: str, row: str) -> None:
    step, _ = read(header, "|---|---|---|", row)
    assert step is not None
    assert (step.number, step.values) == (20, {"loss": 1.25, "eval_loss": 1.5})


def test_bars_without_a_header_are_no_table() -> None:
    assert read("| 20 | 1.250000 | 1.500000 |")[0] is None
