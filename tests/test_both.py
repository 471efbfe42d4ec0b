"""Words against files: the answer names both."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.both import both
from medic.session.consultation import Session

INDEX = load()
OOM = (
    "Traceback (most recent call last):\n"
    '  File "/job/train.py", line 212, in <module>\n    loss.backward()\n'
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total "
    "capacity of 79.11 GiB of which 1.02 GiB is free.\n"
)
WELL = "2026-05-02 11:00:00 INFO Training completed.\n"


def steps(*, nan_from: int = 1000) -> str:
    return "".join(
        f"2026-05-02 10:{n // 60:02d}:{n % 60:02d} INFO step {n * 10}/2000 | "
        f"loss {'nan' if n >= nan_from else f'{2.2 + 40 / (n + 10):.4f}'} | grad_norm 0.5\n"
        for n in range(201)
    )


def told(folder: Path, log: str, words: str) -> tuple[str, str, str]:
    """Verdict, leading cause and the sentence that names both."""
    (folder / "train.log").write_text(log, "utf-8")
    session = Session(INDEX, collect([str(folder)]))
    session.look()
    session.complain(words)
    found = session.diagnosis()
    said = both(session, found)
    return found.verdict, found.causes[0].name if found.causes else "", said.en if said else ""


@pytest.mark.parametrize(
    ("log", "words", "named"),
    [
        (steps(nan_from=150), "training hangs after step 1000", "the loss is not a number at step"),
        (steps(nan_from=150), "CUDA out of memory", "the loss is not a number at step 1500"),
        (steps() + OOM, "loss becomes nan after step 500", "CUDA out of memory"),
        (steps() + OOM, "训练卡住不动了", "CUDA out of memory"),
        (steps() + WELL, "the loss is nan from step 100", "201 losses logged up to step 2000"),
        (steps() + WELL, "CUDA out of memory at step 500", "goes on to a good end"),
    ],
)
def test_the_answer_names_both(tmp_path: Path, log: str, words: str, named: str) -> None:
    said = told(tmp_path, log, words)[2]
    assert said.startswith("You tell of: ")
    assert words in said
    assert named in said
    assert "train.log:" in said


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (steps(nan_from=150), "the loss is nan from step 1500 on"),
        (steps() + OOM, "CUDA out of memory after step 2000"),
        (steps() + WELL, "the loss does not fall any more"),
        (steps()[:9000], "CUDA out of memory at step 3000"),  # the log may have been cut
    ],
)
def test_what_agrees_is_told_once(tmp_path: Path, log: str, words: str) -> None:
    assert told(tmp_path, log, words)[2] == ""


def test_finite_losses_of_a_run_that_is_over_refute_a_nan(tmp_path: Path) -> None:
    assert told(tmp_path, steps() + OOM, "loss becomes nan after step 500")[1] == "long-sample-peak"
    assert told(tmp_path, steps() + WELL, "the loss is nan from step 100")[:2] == (
        "none-of-these",
        "",
    )
    # Of a run that goes on, the words may be newer than the file.
    begun = "".join(steps().splitlines(keepends=True)[:150])
    assert told(tmp_path, begun, "the loss is nan from step 1500")[1] != ""
