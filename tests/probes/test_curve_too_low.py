"""A loss below what its text, or its own targets, can cost."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from medic.probes.curve.smoothing import entropy

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

VISIBLE, LEAK = "labels-visible-to-model", "loss-suspiciously-low"
MODEL = "n_layer: 4\nn_head: 4\nd_model: 128\nblock_size: 128\nbatch_size: 64\nlr: 0.001\n"


def judged(folder: Path, config: str, losses: list[tuple[float, float | None]]) -> Result:
    """A run whose log has a training loss every 20 steps, and a held-out one where one is given."""
    rows = ["data: 5,709,610 train tokens, 300,506 val tokens, vocab 256"]
    for n, (train, held) in enumerate(losses, 1):
        rate = 1e-3 * (1 - n / len(losses) / 2)
        rows.append(
            f"iter {20 * n}/{20 * len(losses)} | train {train:.4f} | lr {rate:.2e} | |g| 0.5"
        )
        if held is not None:
            rows.append(f">>> eval @ {20 * n}: val {held:.4f} (best {held:.4f})")
    (folder / "train.log").write_text("\n".join([*rows, "done", ""]))
    (folder / "config.yaml").write_text(config + f"max_steps: {20 * len(losses)}\n")
    return judge(Labelled("run", folder=str(folder)), load())


def falls(low: float, held: float, first: float = 3.3) -> list[tuple[float, float | None]]:
    chance = random.Random(3)
    made = [low + (first - low) * math.exp(-n / 1.2) for n in range(16)]
    noisy = [value * (1 + 0.1 * chance.random()) for value in made]
    return [(v, held * (1 + 1 / n) if n % 5 == 0 and n else None) for n, v in enumerate(noisy)]


def test_text_foretold_without_a_miss_by_a_model_that_began_new(tmp_path: Path) -> None:
    found = judged(tmp_path, MODEL, falls(0.001, 0.002))
    assert found.named[0] == VISIBLE
    assert found.verdict in ("undecided", "likely")  # no script shows it


@pytest.mark.parametrize(
    ("config", "low", "held"),
    [
        (MODEL, 1.6, 1.8),  # what bytes of text cost
        (MODEL, 0.01, 3.9),  # learned by heart
        (MODEL + "task: copy\n", 0.001, 0.002),
        (MODEL + "data_dir: data/sort-8\n", 0.001, 0.002),
        (MODEL + "base_checkpoint: base.pt\n", 0.01, 0.02),  # short answers of a fine-tune
    ],
)
def test_what_may_fall_so_low(tmp_path: Path, config: str, low: float, held: float) -> None:
    assert VISIBLE not in judged(tmp_path, config, falls(low, held)).named[:1]


@pytest.mark.parametrize(
    ("share", "classes", "nats"), [(0.9, 10, 2.2657), (0.1, 10, 0.5003), (0.1, 50_000, 1.4071)]
)
def test_the_entropy_of_smoothed_targets(share: float, classes: int, nats: float) -> None:
    right = 1 - share + share / classes
    other = share / classes
    summed = -right * math.log(right) - (classes - 1) * other * math.log(other)
    assert entropy(share, classes) == pytest.approx(summed)
    assert entropy(share, classes) == pytest.approx(nats, abs=1e-3)


def classifier(folder: Path, smoothing: float, losses: list[float], held: list[float]) -> Result:
    rows, per = [], len(losses) // len(held)
    for n, loss in enumerate(losses):
        rows.append(f"step {n * 10} loss {loss:.4f} lr 0.1")
        if (n + 1) % per == 0:
            rows.append(f"step {n * 10} val_loss {held[n // per]:.4f}")
    (folder / "train.log").write_text("\n".join([*rows, "done", ""]))
    (folder / "cfg.yaml").write_text(f"num_classes: 10\nlr: 0.1\nlabel_smoothing: {smoothing}\n")
    return judge(Labelled("run", folder=str(folder)), load())


def test_targets_that_are_mostly_smoothed_leave_nothing_to_learn(tmp_path: Path) -> None:
    losses = [2.28 + 0.04 * math.exp(-n / 5) for n in range(30)]
    found = classifier(tmp_path, 0.9, losses, [2.1, 2.05, 2.0, 1.98, 1.97])
    assert found.named[0] == "value-beyond-published"


@pytest.mark.parametrize(
    ("smoothing", "low", "held"),
    [
        (0.1, 0.58, 0.17),  # 0.5 of it are the targets' own
        (0.9, 0.40, 0.50),  # below the floor of such targets: the key means something else
        (0.0, 0.40, 0.50),
    ],
)
def test_a_loss_beside_its_floor(tmp_path: Path, smoothing: float, low: float, held: float) -> None:
    losses = [low + (2.3 - low) * math.exp(-n / 4) for n in range(30)]
    found = classifier(tmp_path, smoothing, losses, [held * (1 + 1 / n) for n in range(1, 7)])
    assert found.verdict in ("healthy", "no-fault-seen")
