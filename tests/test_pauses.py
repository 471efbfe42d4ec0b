"""Steps that are slow again and again, and cost most of the time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load


def run_of(folder: Path, *, slow: float, wait: float | None = None, extra: str = "") -> Result:
    """Every eighth step takes ``slow`` seconds, of which ``wait`` are the loader's."""
    rows = []
    for n in range(1, 241):
        long = n % 8 == 0
        time = slow if long else 1.2
        told = "" if wait is None else f" | data_time {wait if long else 0.01:.2f}s"
        rows.append(f"step {n} | loss {4 - n / 100:.4f} | lr 1e-4 | step_time {time:.2f}s{told}\n")
        rows.append(extra if long else "")
    (folder / "train.log").write_text("".join(rows))
    return judge(Labelled("run", folder=str(folder)), load())


def test_pauses_in_which_the_loader_is_awaited(tmp_path: Path) -> None:
    assert run_of(tmp_path, slow=21.0, wait=19.8).named[0] == "slow-data-loader"


def test_pauses_that_nothing_explains(tmp_path: Path) -> None:
    found = run_of(tmp_path, slow=21.0)
    assert found.verdict not in ("healthy", "established")
    assert "slow-data-loader" in found.named[:3]


@pytest.mark.parametrize(
    ("slow", "wait", "extra"),
    [
        (2.0, 0.02, ""),
        (2.5, None, ""),
        (21.0, None, "Saving model checkpoint to out/checkpoint\n"),
        (21.0, 0.02, "step 8 | eval_loss 2.1\n"),
    ],
)
def test_pauses_that_cost_little_or_are_meant(
    tmp_path: Path, slow: float, wait: float | None, extra: str
) -> None:
    assert not run_of(tmp_path, slow=slow, wait=wait, extra=extra).named


def megatron(step: int, seconds: float) -> str:
    return (
        f" iteration {step:8d}/    5000 | consumed samples: {step * 256:12d} | elapsed time per iteration "
        f"(ms): {seconds * 1000:.1f} | learning rate: 3.000E-05 | global batch size:   256 | "
        f"lm loss: {4 - step / 400:.6E} | loss scale: 1.0 | grad norm: 0.512 |"
    )


HEALTHY: dict[str, Callable[[int, float], str]] = {
    "megatron": megatron,
    "plain": lambda n, s: f"step {n} | loss {4 - n / 400:.4f} | lr 1e-4 | step_time {s:.2f}s",
    "deepspeed": lambda n, s: (
        f"[2026-03-01 10:00:00,000] [INFO] [timer.py:264:stop] epoch=0/micro_step={n}/global_step={n}, "
        f"RunningAvgSamplesPerSec={64 / s:.3f}, CurrSamplesPerSec={64 / s:.3f}, MemAllocated=20.1GB"
    ),
    "nemo": lambda n, s: (
        f"Training epoch 0, iteration {n}/4999 | lr: 1.0e-04 | global_batch_size: 64 | global_step: {n} | "
        f"reduced_train_loss: {4 - n / 400:.4f} | train_step_timing in s: {s:.3f}"
    ),
    "titan": lambda n, s: (
        f"[titan] 2026-03-01 10:00:00,000 - root - INFO - step: {n:2d}  loss: {4 - n / 400:7.4f}  "
        f"memory: 20.1GiB(25.4%)  tps: {8192 / s:,.0f}  mfu: 40.1%"
    ),
    "litgpt": lambda n, s: (
        f"Epoch 1 | iter {n} step {n} | loss train: {4 - n / 400:.3f}, val: n/a | "
        f"iter time: {s * 1000:.2f} ms (step) remaining time: 0:10:00"
    ),
}


def judged(folder: Path, layout: str, slow: set[int], said: str = "") -> Result:
    """400 steps of 1.2 s, of which those take 60 s."""
    lines = []
    for n in range(1, 401):
        lines.append(HEALTHY[layout](n, 60.0 if n in slow else 1.2))
        lines += [said] if said and n in slow else []
    (folder / "train.log").write_text("\n".join(lines) + "\n")
    return judge(Labelled("run", folder=str(folder)), load())


EVERY = set(range(50, 401, 50))
LAGS = set(range(16, 401, 16))  # a loader of sixteen workers


@pytest.mark.parametrize("layout", HEALTHY)
@pytest.mark.parametrize(
    "said", ["", "Held-out perplexity 18.2", "Snapshot written: /job/out/snap"]
)
def test_pauses_every_so_many_steps_are_no_fault(tmp_path: Path, layout: str, said: str) -> None:
    assert not judged(tmp_path, layout, EVERY, said).named


@pytest.mark.parametrize("layout", ["megatron", "plain", "titan", "litgpt"])
def test_pauses_as_often_as_a_loader_has_workers_are_asked_about(
    tmp_path: Path, layout: str
) -> None:
    assert "slow-data-loader" in judged(tmp_path, layout, LAGS).named[:3]


def test_pauses_every_fifty_steps_in_which_the_loader_is_awaited(tmp_path: Path) -> None:
    rows = []
    for n in range(1, 401):
        slow = n in EVERY
        told = f"step_time {60.0 if slow else 1.2:.2f}s | data_time {58.0 if slow else 0.01:.2f}s"
        rows.append(f"step {n} | loss {4 - n / 400:.4f} | lr 1e-4 | {told}\n")
    (tmp_path / "train.log").write_text("".join(rows))
    assert judge(Labelled("run", folder=str(tmp_path)), load()).named[0] == "slow-data-loader"
