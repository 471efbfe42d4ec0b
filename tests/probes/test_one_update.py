"""Tokens that are clipped where each rollout feeds one update."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

SAMPLER = "sampling-differs-from-policy"


def run_of(folder: Path, config: str, clipped: float) -> Result:
    rows = [
        f"[step {5 * n:4d}] reward/mean={0.45 + 0.004 * n:.4f} kl={0.02 + 0.001 * n:.4f} entropy=0.42 "
        f"clipfrac={clipped * (0.9 + 0.02 * (n % 7)):.4f} response_length/mean=7.00 grad_norm=2.1\n"
        for n in range(1, 41)
    ]
    (folder / "grpo.log").write_text("".join(rows))
    (folder / "grpo.yaml").write_text(f"lr: 0.0002\ngroup_size: 8\nclip: 0.2\n{config}")
    return judge(Labelled("run", folder=str(folder)), load())


def test_the_ratio_of_the_only_update_is_one(tmp_path: Path) -> None:
    found = run_of(tmp_path, "inner_epochs: 1\ntemperature: 0.6\n", 0.3)
    assert found.named[0] == SAMPLER
    assert found.verdict == "likely"


@pytest.mark.parametrize(
    ("config", "clipped"),
    [
        ("inner_epochs: 4\ntemperature: 0.6\n", 0.1),
        ("inner_epochs: 1\ntemperature: 0.6\n", 0.004),
        ("inner_epochs: 1\nnum_mini_batches: 4\ntemperature: 0.6\n", 0.1),
        ("temperature: 0.6\n", 0.1),
    ],
)
def test_clipping_of_later_updates(tmp_path: Path, config: str, clipped: float) -> None:
    assert SAMPLER not in run_of(tmp_path, config, clipped).named[:1]
