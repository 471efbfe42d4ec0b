"""How a run stands, by the ends of its logs."""

from __future__ import annotations

import os
from pathlib import Path

from medic.index.knowledge import load
from medic.session.runstates import state_of


def test_a_step_is_told_only_where_its_line_tells_it(tmp_path: Path) -> None:
    """The lines of a tail without numbers are counted from its own beginning."""
    (tmp_path / "train.log").write_text(
        "".join(f"{{'loss': '{9 - n / 10}', 'epoch': '{n / 100}'}}\n" for n in range(1, 13))
        + "{'train_runtime': '2.21', 'train_loss': '5.572', 'epoch': '0.24'}\n"
    )
    os.utime(tmp_path / "train.log", (1e9, 1e9))
    assert state_of(str(tmp_path), load()).step is None


def test_only_the_end_of_a_log_is_read(tmp_path: Path) -> None:
    step = "2026-01-01 10:00:00 INFO step {n} | loss 2.5 | lr 1e-4\n"
    early = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    text = early + "".join(step.format(n=n) for n in range(1, 3000))
    (tmp_path / "train.log").write_text(text)
    os.utime(tmp_path / "train.log", (1e9, 1e9))
    found = state_of(str(tmp_path), load())
    assert (found.symptom, found.step) == ("", 2999)
