"""A loss that takes the same course in every epoch, where nothing shuffles the data."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

SORTED = [4.45, 4.2, 3.9, 3.3]  # of four places in each epoch
ORDER = "data-order-repeats"
CODE = """import torch
from torch.utils.data import DataLoader
train = DataLoader(Images(), 128, {shuffle}num_workers=4)
opt = torch.optim.SGD(model.parameters(), 0.1)
for epoch in range(6):
    for x, y in train:
        loss = crit(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
"""


def run_of(folder: Path, shuffle: str, course: list[float], noise: float = 0.03) -> Result:
    chance = random.Random(4)
    rows = [
        f"Epoch: [{epoch}][{20 * n:3d}/62]\tTime 0.1 (0.1)\tLoss {v + noise * chance.gauss(0, 1):.3f} (3.0)\n"
        for epoch in range(6)
        for n, v in enumerate(course)
    ]
    (folder / "out.txt").write_text("".join(rows))
    (folder / "cfg.yaml").write_text("num_classes: 10\nlr: 0.1\nbatch_size: 128\n")
    (folder / "main.py").write_text(CODE.format(shuffle=shuffle))
    return judge(Labelled("run", folder=str(folder)), load())


@pytest.mark.parametrize("shuffle", ["shuffle=False, ", ""])
def test_each_batch_unlearns_the_classes_of_the_others(tmp_path: Path, shuffle: str) -> None:
    found = run_of(tmp_path, shuffle, SORTED)
    assert found.named[0] == ORDER
    assert found.verdict in ("likely", "established")


@pytest.mark.parametrize(
    ("shuffle", "course", "noise"),
    [
        ("shuffle=True, ", SORTED, 0.03),
        ("sampler=mixed, ", SORTED, 0.03),
        ("shuffle=False, ", [1.1, 0.9, 0.8, 0.7], 0.03),  # it learns: mixed when it was written
        ("shuffle=False, ", [3.0, 3.0, 3.0, 3.0], 0.5),  # a rate too high has no course
    ],
)
def test_what_learns_or_is_drawn_at_random(
    tmp_path: Path, shuffle: str, course: list[float], noise: float
) -> None:
    assert ORDER not in run_of(tmp_path, shuffle, course, noise).named[:1]
