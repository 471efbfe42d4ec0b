"""A failure that does not count is told, with its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from medic.facts import Attempts, LogHits, Tracebacks

FAILED = """2026-11-27 20:53:10,399 [rank0] INFO train: model parameters: 2422.9M
[rank0]: Traceback (most recent call last):
[rank0]:   File "/job/train.py", line 143, in <module>
[rank0]:     main()
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB.
"""
AFTER = "2026-11-27 20:53:18,001 [rank0] INFO launcher: exit code 1\n"
STEP = "2026-11-27 21:05:{:02d},144 [rank0] INFO train: step {}/300 | loss 6.1 | lr 1.000e-04\n"
WELL = "2026-11-27 21:05:30,144 [rank0] INFO train: done\n"
TRAINS = "".join(STEP.format(n, n) for n in range(6, 12))

Read = Callable[..., Any]


def told(read: Any) -> list[str]:
    return [f"{u.file}: {u.why.en}" for u in read.unread]


def roots(read: Any) -> list[str]:
    hits = read[LogHits].hits
    return [h.symptom for h in hits if h.role == "root" and not h.benign]


def own(read: Any) -> list[str]:
    return [t.source.file for t in read[Tracebacks].all if t.uncaught]


def test_a_run_that_failed_before_the_last_one_began(read: Read) -> None:
    """Whatever their names: oom_run.log is no part of the run that pre_run.log tells of."""
    seen = read({"oom_run.log": FAILED + AFTER, "pre_run.log": TRAINS + WELL})
    (line,) = told(seen)
    assert "oom_run.log: of an earlier run, which failed at line 5 (OutOfMemoryError)" in line
    assert roots(seen) == []
    (end,) = seen[Attempts].ends
    assert end.source.file == "oom_run.log"


def test_a_run_that_ended_well_before_did_not_fail(read: Read) -> None:
    first = STEP.format(1, 1) + STEP.format(2, 2) + "[after training is done]\n"
    later = TRAINS.replace("21:05", "23:05") + "Traceback (most recent call last):\n" + FAILED
    lines = [
        line
        for line in told(read({"train_1.log": first, "train_2.log": later}))
        if "train_1" in line
    ]
    assert not any("failed" in line for line in lines)


def test_a_younger_run_is_the_current_one_from_its_first_step(read: Read) -> None:
    seen = read({"failed.log": FAILED + AFTER, "train.log": STEP.format(6, 1)})
    assert len(told(seen)) == 1
    assert roots(seen) == []


def test_a_rank_that_failed_in_the_run_counts(read: Read) -> None:
    """A traceback tells no time: its file may be of the run that goes on beside it."""
    seen = read({"rank0.log": FAILED, "train.log": TRAINS})
    assert told(seen) == []
    assert "cuda-out-of-memory" in roots(seen)


def test_beside_a_run_that_ended_well(read: Read) -> None:
    seen = read({"rank1.log": FAILED, "train.log": TRAINS + WELL})
    assert seen[LogHits].ended == "well"
    assert "rank1.log: it failed at line 5 (OutOfMemoryError), and does not count" in told(seen)[0]


def test_what_was_handled_is_not_told(read: Read) -> None:
    seen = read({"train.log": TRAINS[:200] + FAILED + TRAINS + WELL})
    assert told(seen) == []


UNDATED = FAILED.partition("\n")[2]
DONE = (
    "".join(f"step {n}/300 | loss 6.1 | lr 1.000e-04\n" for n in range(6, 12))
    + "training finished\n"
)


@pytest.mark.parametrize(
    ("failed", "done", "counts"),
    [
        ("attempt1.log", "attempt2.log", False),
        ("train_bs8.log", "train_bs4.log", False),
        ("run1.txt", "run2.txt", False),
        ("run2.txt", "run1.txt", True),  # it came after it
        ("slurm-12.out", "slurm-11.out", True),
        ("node1.log", "node2.log", True),  # parts of one run
        ("rank1.log", "rank0.log", True),
        ("worker_1.log", "worker_0.log", True),
        ("stderr.log", "stdout.log", True),
        ("eval.log", "train.log", True),
    ],
)
def test_a_failed_try_beside_one_that_ended_well(
    read: Read, failed: str, done: str, counts: bool
) -> None:
    """Without times: their names differ by a number, which is no part's of one run."""
    seen = read({failed: UNDATED, done: DONE})
    assert bool(own(seen)) == counts
    if not counts:
        assert any(
            f"{failed}: of an earlier run, which failed at line 4" in why for why in told(seen)
        )
