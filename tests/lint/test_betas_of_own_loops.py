"""A pair of betas in the file of a loop of one's own: the second below the first squared is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, judge
from medic.index.knowledge import load


@pytest.mark.parametrize(
    ("betas", "optimizer", "told"),
    [
        ("[0.999, 0.9]", "adamw", True),
        ("[0.9, 0.999]", "adamw", False),
        ("[0.9, 0.95]", "adamw", False),
        ("[0.95, 0.98]", "lion", False),
        ("[0.999, 0.9]", "lion", False),
    ],
)
def test_the_pair(tmp_path: Path, betas: str, optimizer: str, told: bool) -> None:
    config = f"lr: 3.0e-4\nbatch_size: 8\nmax_steps: 600\noptimizer: {optimizer}\nbetas: {betas}\n"
    (tmp_path / "config.yaml").write_text(config)
    found = judge(Labelled("run", folder=str(tmp_path)), load()).named
    assert ("value-beyond-published" in found) is told
