"""Messages of level ERROR whose words tell a symptom, where no line is a known one."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session

STEPS = "INFO start\nstep 1 loss 2.0\nstep 2 loss 1.9\n"


def present(tmp_path: Path, text: str) -> set[str]:
    (tmp_path / "train.log").write_text(text)
    session = Session(load(), collect([str(tmp_path / "train.log")]))
    return {o.name for o in session.look().observed if o.outcome == "present"}


@pytest.mark.parametrize(
    ("line", "symptom"),
    [
        ("ERROR: out of memory, training failed", "cuda-out-of-memory"),
        ("2026-11-28 10:00:00,123 - trainer - ERROR - disk full", "disk-full"),
        ("[2026-11-28 10:00:00][CRITICAL] loss became NaN, aborting", "loss-nan"),
        ("E1128 FATAL GPU 3 fell off the bus", "gpu-hardware-fault"),
        ("Error: port 29500 already in use", "port-in-use"),
        ("错误：显存不足，训练终止", "cuda-out-of-memory"),
    ],
)
def test_the_words_count(tmp_path: Path, line: str, symptom: str) -> None:
    assert symptom in present(tmp_path, STEPS + line + "\n")


@pytest.mark.parametrize(
    "text",
    [
        STEPS + "ERROR: out of memory, training failed\n" + "step 3 loss 1.8\n" * 3,
        STEPS + "INFO: out of memory is handled by retrying\n",
        STEPS + "ERROR: could not reach the tracking server, retrying\n",
        STEPS + "errors so far: 0, out of memory events: 0\n",
    ],
)
def test_other_lines_do_not(tmp_path: Path, text: str) -> None:
    assert "cuda-out-of-memory" not in present(tmp_path, text)
