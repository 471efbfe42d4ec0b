"""Step lines of the usual training loops."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from medic.probes.logs.metric_names import canonical
from medic.probes.logs.prefix import Prefixes, message
from medic.probes.logs.steps import Step, Steps

GIB = 2**30


def read(*lines: str) -> tuple[Step | None, Steps]:
    """The step of the last line, and the reader that saw all of them."""
    steps, prefixes, found = Steps(), Prefixes(), None
    for line in lines:
        found = steps.read(message(prefixes.read(line).body))
    return found, steps


@pytest.mark.parametrize(
    ("line", "number", "values"),
    [
        (
            (
                "2026-11-27 20:56:58,787 [rank0] INFO train: step 10/300 | loss 5.9905 | "
                "lr 5.000e-04 | grad_norm 1.354 | tok/s 376199 | mem 0.12GiB"
            ),
            10,
            {
                "loss": 5.9905,
                "learning_rate": 5e-4,
                "grad_norm": 1.354,
                "tokens_per_s": 376199,
                "memory": 0.12 * GIB,
            },
        ),
        (
            (
                " iteration       10/     300 | consumed samples:           80 | elapsed time per "
                "iteration (ms): 1234.5 | learning rate: 6.000000E-05 | global batch size:     8 | "
                "lm loss: 6.912345E+00 | loss scale: 65536.0 | grad norm: 1.234 | number of skipped "
                "iterations:   1 | number of nan iterations:   0 |"
            ),
            10,
            {
                "loss": 6.912345,
                "learning_rate": 6e-5,
                "grad_norm": 1.234,
                "step_time": 1.2345,
                "loss_scale": 65536.0,
                "skipped_iterations": 1.0,
                "nan_iterations": 0.0,
                "batch_size": 8.0,
            },
        ),
        (
            (
                "[rank0]:2026-09-01 12:00:00,123 - root - INFO - step:  1  loss:  8.1309  "
                "grad_norm:  1.2  memory:  0.50GiB(1.57%)  tps: 11,234  tflops: 5.1  mfu: 2.00%"
            ),
            1,
            {
                "loss": 8.1309,
                "grad_norm": 1.2,
                "memory": 0.5 * GIB,
                "tokens_per_s": 11234,
                "tflops": 5.1,
                "mfu": 2.0,
            },
        ),
        (
            "iter 10: loss 3.2012, time 120.50ms, mfu 12.3%",
            10,
            {"loss": 3.2012, "step_time": 0.1205, "mfu": 12.3},
        ),
        (
            "step 250: train loss 4.1123, val loss 4.2345",
            250,
            {"loss": 4.1123, "eval_loss": 4.2345},
        ),
        (
            (
                "[2026-01-01 00:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, "
                "skipped=2, lr=[5e-05], mom=[(0.9, 0.95)]"
            ),
            10,
            {"learning_rate": 5e-5, "skipped": 2},
        ),
        (
            "Epoch 1 | iter 10 step 5 | loss train: 3.210, val: n/a | iter time: 120.00 ms (step)",
            5,
            {"loss": 3.21, "step_time": 0.12},
        ),
        (
            "step=10 loss=nan lr=1e-4 gnorm=inf",
            10,
            {"loss": math.nan, "learning_rate": 1e-4, "grad_norm": math.inf},
        ),
        (
            (
                '| INFO | train_inner | {"epoch": 1, "update": 0.1, "loss": "8.12", "wps": "1234", '
                '"num_updates": "100", "lr": "1e-05", "gnorm": "2.1", "loss_scale": "128"}'
            ),
            100,
            {
                "loss": 8.12,
                "tokens_per_s": 1234,
                "learning_rate": 1e-5,
                "grad_norm": 2.1,
                "loss_scale": 128,
            },
        ),
        (
            " validation loss at iteration 100 | lm loss value: 5.1E+00 | lm loss PPL: 1.6E+02",
            100,
            {"eval_loss": 5.1},
        ),
        ("rank 0 step 9", 9, {}),
        (
            "1|310|Loss: 1.5757:   2%|█         | 10/400 [01:54<1:14:06, 11.40s/it]",
            310,
            {"loss": 1.5757},
        ),
        (
            "Epoch 2:  50%|█████     | 5/10 [00:01<00:01,  4.20it/s, train_loss=2.30]",
            25,
            {"loss": 2.3},
        ),
        (
            "Step 100 | Train Loss: 3.45 | LR: 1.00e-04 | Time: 0.5 s | Tokens/sec: 12.3k",
            100,
            {"loss": 3.45, "learning_rate": 1e-4, "step_time": 0.5, "tokens_per_s": 12300},
        ),
    ],
)
def test_layouts(line: str, number: int, values: dict[str, float]) -> None:
    found, _ = read(line)
    assert found is not None
    assert found.number == number
    assert found.values == pytest.approx(values, nan_ok=True)


@pytest.mark.parametrize(
    "line",
    [
        "number of nan iterations: 0",
        "{'train_runtime': '2.21', 'train_steps_per_second': '27.14', 'train_loss': '5.57'}",
        "Loading checkpoint shards: 100%|██████████| 2/2 [00:00<00:00,  5.20it/s]",
        "Step 3: loading the model",
        "saving checkpoint at iteration 1000 to /ckpt",
        "  lr_decay_iters ....................... 300",
        "RuntimeError: loss is NaN at step 13",
        "resumed weights from a.pt at step 20",
        "elapsed time per iteration (ms): 12",
    ],
)
def test_lines_that_are_no_steps(line: str) -> None:
    assert read(line)[0] is None


@pytest.mark.parametrize(
    ("line", "number", "values"),
    [
        ("第5步 损失 1.70", 5, {"loss": 1.7}),
        ("第 12 步 ... loss 2.5", 12, {"loss": 2.5}),
        (
            "第 12/100 步，损失 4.3，学习率 1.0e-04，梯度范数 1.23，吞吐 3400",
            12,
            {"loss": 4.3, "learning_rate": 1e-4, "grad_norm": 1.23, "tokens_per_s": 3400.0},
        ),
        (
            "步数: 120 训练损失: 1.22 显存占用: 23GB 每步耗时: 1.2s",
            120,
            {"loss": 1.22, "memory": 23 * GIB, "step_time": 1.2},
        ),
        ("验证损失: 1.2（第 100 步）", 100, {"eval_loss": 1.2}),
        ("迭代40，损失：2.5", 40, {"loss": 2.5}),
    ],
)
def test_lines_in_chinese(line: str, number: int, values: dict[str, float]) -> None:
    found, _ = read(line)
    assert found is not None
    assert (found.number, found.values) == (number, pytest.approx(values))


def test_the_planned_steps_in_chinese() -> None:
    assert read("训练第 300 步（共 5000 步）：损失值=2.31")[1].planned == 5000


@pytest.mark.parametrize(
    "line", ["第三步：打开配置文件，损失 3 个文件", "第 5 步 开始", "损失从 2.3 降到 1.9"]
)
def test_chinese_prose_is_no_step(line: str) -> None:
    assert read(line)[0] is None


def test_a_hugging_face_dict_takes_its_step_from_the_bar() -> None:
    bar = " 10%|█         | 10/100 [00:10<01:30,  1.00s/it]"
    found, steps = read(
        bar, "{'loss': 2.5, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.1}"
    )
    assert found == Step(10, {"loss": 2.5, "grad_norm": 1.0, "learning_rate": 1e-5})
    assert steps.planned == 100


def test_a_hugging_face_dict_takes_its_step_from_epochs() -> None:
    found, steps = read(
        "  Num Epochs = 2", "  Total optimization steps = 1,000", "{'loss': '2.5', 'epoch': '0.5'}"
    )
    assert found is not None
    assert found.number == 250
    assert steps.planned == 1000


def test_a_hugging_face_dict_alone_is_counted() -> None:
    found, _ = read("{'loss': 2.5, 'epoch': 0.1}", "{'loss': '2.4', 'epoch': '0.2'}")
    assert found == Step(2, {"loss": 2.4})


def test_a_dict_behind_its_bar_on_one_line() -> None:
    found, _ = read(" 20%|██        | 20/100 [00:20<01:20, 1.00s/it]{'loss': 2.4, 'epoch': 0.2}")
    assert found == Step(20, {"loss": 2.4})


def test_metrics_below_their_step() -> None:
    found, steps = read("[step=10/1000,epoch=0]", "    train/CrossEntropyLoss=10.9")
    head = "2026-07-22 10:00:40.123\tnode1:0\tolmo.train:966\tINFO\t[step=10/1000,epoch=0]"
    assert read(head, "    train/CrossEntropyLoss=10.9")[0] == found
    assert found == Step(10, {"loss": 10.9})
    assert steps.planned == 1000


@pytest.mark.parametrize(
    ("name", "metric", "factor"),
    [
        ("train/loss", "loss", 1.0),
        ("Train Loss", "loss", 1.0),
        ("val/loss", "eval_loss", 1.0),
        ("eval_loss", "eval_loss", 1.0),
        ("train/grad_norm", "grad_norm", 1.0),
        ("lr-AdamW", "learning_rate", 1.0),
        ("mem_gib", "memory", float(GIB)),
        ("step_time_ms", "step_time", 1e-3),
        ("time/step (s)", "step_time", 1.0),
        ("trainer/global_step", "step", 1.0),
        ("accuracy", None, 1.0),
        ("loss_weight", None, 1.0),
    ],
)
def test_names(name: str, metric: str | None, factor: float) -> None:
    known = canonical(name)
    assert known == (None if metric is None else (metric, factor))


@given(st.text(max_size=300))
def test_any_line_is_read(line: str) -> None:
    read(line, "step " + line + " loss 1")


def test_a_long_line_of_repeats_is_no_trap() -> None:
    for part in ("step 1 ", "loss ", '{"a": ', "1%|", "lr=1", "loss: 1 ", "epoch "):
        read(part * (60_000 // len(part)))


def test_names_of_policies() -> None:
    line = (
        "step:12 - actor/entropy:0.412 - actor/kl_loss:0.0012 - actor/pg_loss:0.003 - "
        "actor/grad_norm:0.21 - critic/score/mean:0.331 - critic/score/max:1.0 - "
        "critic/rewards/mean:0.32 - response_length/mean:512.2 - response_length/max:2048.0 - "
        "timing_s/step:95.1"
    )
    step = read(line)[0]
    assert step is not None
    assert step.number == 12
    wanted = {"entropy": 0.412, "kl": 0.0012, "reward": 0.331, "response_length": 512.2}
    assert wanted.items() <= step.values.items()


def test_a_bar_tells_seconds_a_step() -> None:
    reader = Steps()
    bars = [f"  {n}%|#  | {n}/100 [00:0{n}<10:00,  {n}.50s/it]" for n in (1, 2)]
    assert [reader.read(b) for b in bars] == [(1, {"bar_time": 1.5}), (2, {"bar_time": 2.5})]
    assert reader.read(" 50%|##  | 5/10 [00:01<00:01, 4.0it/s]") is None  # an evaluation's


def test_losses_between_two_drawings_of_the_bar() -> None:
    reader = Steps()
    lines = ["  Num Epochs = 1", "Total optimization steps = 100", " 4%|# | 4/100 [00:04<10:00]"]
    lines += [str({"loss": 1.0, "epoch": n / 100}) for n in (4, 5, 6)]
    steps = [s.number for line in lines if (s := reader.read(line)) is not None]
    assert steps == [4, 5, 6]


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        (
            "Epoch: [0]  [  20/62500]  eta: 1 day, 21:00:11  lr: 0.000100  loss: 2.79 (2.89)  "
            "time: 2.6302  data: 2.1554  max mem: 31204",
            (2.6302, 2.1554),
        ),
        (
            "Train: 0 [  50/62500 (  0%)]  Loss: 2.825 (2.800)  Time: 2.775s,  12.20/s  (2.610s,  "
            "12.20/s)  LR: 1.000e-04  Data: 2.177 (2.080)",
            (2.775, 2.177),
        ),
        (
            "Epoch: [0][  10/5005]\tTime  0.543 ( 1.200)\tData  0.301 ( 0.330)\tLoss 6.9 (6.95)",
            (0.543, 0.301),
        ),
        ("step 20/300 loss 2.5 time: 1.25 data: 4.5", (None, None)),  # of another clock
        ("step 20/300 loss 2.5 time: 1732873.5", (None, None)),
        ("step 20/300 loss 2.5 train data: 4.5", (None, None)),
    ],
)
def test_seconds_of_the_loader_beside_those_of_a_step(
    line: str, seconds: tuple[float | None, float | None]
) -> None:
    found, _ = read(line)
    assert found is not None
    assert (found.values.get("step_time"), found.values.get("data_time")) == seconds


def test_the_planned_steps_of_a_printed_setting() -> None:
    steps = Steps()
    for line in ("eval_interval = 60", "max_iters = 240", "iter 2: loss 4.1, lr 1e-4"):
        steps.read(line)
    assert steps.planned == 240
