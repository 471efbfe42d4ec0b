"""A run that stopped early by design, and what comes after its end."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs.ending import how

from medic.facts import LogHits

STEPS = "".join(
    f"2026-03-01 10:{m:02d}:00 INFO step {m} train_loss 2.{9 - m}1 lr 1e-4\n" for m in range(1, 9)
)
STOPPED = "2026-03-01 10:10:00 INFO Early stopping triggered at epoch 14\n"
PIPE = (
    "Exception ignored in: <_io.TextIOWrapper name='<stdout>' mode='w' encoding='utf-8'>\n"
    "BrokenPipeError: [Errno 32] Broken pipe\n"
)
CANCELLED = "slurmstepd: error: *** JOB 901 ON n01 CANCELLED AT 2026-03-01T10:{m}:00 {why}***\n"
SIGNAL = (
    "Traceback (most recent call last):\n"
    '  File "/opt/venv/bin/torchrun", line 8, in <module>\n'
    "    sys.exit(main())\n"
    "torch.distributed.elastic.multiprocessing.api.SignalException: Process 44 got signal: 15\n"
)
SAVE_FAILS = (
    "Traceback (most recent call last):\n"
    '  File "/w/train.py", line 8, in main\n'
    "    save(model)\n"
    "OSError: [Errno 28] No space left on device\n"
)


@pytest.mark.parametrize(
    ("after", "ended"),
    [
        (STOPPED, "well"),
        (STOPPED + PIPE, "well"),
        (STOPPED + CANCELLED.format(m=11, why=""), "well"),
        (STOPPED + SIGNAL, "well"),
        (STOPPED + CANCELLED.format(m=55, why=""), "badly"),  # it hung at its end for long
        (STOPPED + CANCELLED.format(m=11, why="DUE TO TIME LIMIT "), "badly"),
        (STOPPED + SAVE_FAILS, "badly"),
        (CANCELLED.format(m=11, why=""), "badly"),
        (SIGNAL, "badly"),
    ],
)
def test_what_comes_after_an_early_stop(read: Any, after: str, ended: str) -> None:
    assert read(STEPS + after)[LogHits].ended == ended


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Early stopping: no improvement for 5 epochs, best epoch 9", "well"),
        ("Early stopping triggered", "well"),
        ("Training stopped early after 12 epochs", "well"),
        ("验证集 loss 连续 5 轮未下降，提前停止训练", "well"),
        ("触发早停", "well"),
        ("EarlyStopping counter: 3 out of 5", None),
        ("early stopping enabled, patience: 5", None),
        ("no early stopping", None),
        ("early_stopping: true", None),
        ("若验证 loss 不降则提前停止训练", None),
    ],
)
def test_words_of_an_early_stop(line: str, told: str | None) -> None:
    assert how(line) == told
