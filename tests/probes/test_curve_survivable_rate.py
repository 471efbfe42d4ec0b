"""A logged rate that overwrites the weights, beside a loss that is lost in the first row."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, judge
from medic.index.knowledge import load

CAUSE = "learning-rate-not-survivable"


@pytest.mark.parametrize(
    ("rate", "first", "more", "leads"),
    [
        (0.05, 10, "fp16: true\n", True),
        (2e-5, 10, "fp16: true\n", False),
        (0.05, 1, "fp16: true\n", False),  # before any update
        (0.05, 10, "fp16: true\noptimizer: sgd\n", False),
    ],
)
def test_a_rate_that_no_precision_survives(
    tmp_path: Path, rate: float, first: int, more: str, *, leads: bool
) -> None:
    rows = "".join(
        f"{{'loss': nan, 'grad_norm': nan, 'learning_rate': {rate}, 'step': {first + 10 * n}}}\n"
        for n in range(4)
    )
    (tmp_path / "train.log").write_text(rows)
    (tmp_path / "config.yaml").write_text(more)
    named = judge(Labelled("run", folder=str(tmp_path)), load()).named
    assert (named[0] == CAUSE) == leads
