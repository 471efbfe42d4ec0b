"""What follows a line with which a job was ended, and several runs in one file."""

from __future__ import annotations

from typing import Any

import pytest

from medic.facts import LogHits

CANCELLED = "slurmstepd: error: *** {what} ON g2 CANCELLED AT 2026-03-02T18:00:13 {why}***\n"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB.\n"


def _steps(*numbers: int, of: str = "", loss: float = 3.0) -> str:
    return "".join(f"{of}step {n}/9999 | loss {loss - n / 1000:.4f}\n" for n in numbers)


def _excused(seen: Any) -> set[bool]:
    return {bool(h.benign) for h in seen[LogHits].hits if h.symptom}


@pytest.mark.parametrize("what", ["JOB 991", "STEP 991.0"])
@pytest.mark.parametrize("why", ["DUE TO PREEMPTION ", "DUE TO TIME LIMIT "])
@pytest.mark.parametrize("late", [2, 9])
def test_buffered_steps_behind_the_end_of_a_job_excuse_nothing(
    read: Any, what: str, why: str, late: int
) -> None:
    end = CANCELLED.format(what=what, why=why)
    seen = read(_steps(*range(1, 30)) + end + _steps(*range(30, 30 + late)))
    assert _excused(seen) == {False}


@pytest.mark.parametrize("after", [range(20, 29), range(30, 700)])
def test_a_job_that_runs_again_is_past_its_cancelling(read: Any, after: range) -> None:
    """Steps come again, or more of them than a buffer holds."""
    end = CANCELLED.format(what="JOB 991", why="DUE TO PREEMPTION ")
    assert False not in _excused(read(_steps(*range(1, 30)) + end + _steps(*after)))


def _both(first: str, second: str, fault: str) -> str:
    """Two writers' steps, interleaved; the second one ends with a fault."""
    both = "".join(
        _steps(n, of=first) + _steps(n, of=second, loss=2.0 if first != second else 3.0)
        for n in range(1, 25)
    )
    return both + second + fault + _steps(*range(25, 40), of=first)


def test_a_run_that_lives_excuses_nothing_of_another_in_its_file(read: Any) -> None:
    assert _excused(read(_both("[runA] ", "[runB] ", OOM))) == {False}


@pytest.mark.parametrize(("first", "second"), [("[runA] ", "[runA] "), ("[train] ", "[eval] ")])
def test_what_one_run_writes_under_its_tags_is_one(read: Any, first: str, second: str) -> None:
    assert _excused(read(_both(first, second, OOM))) == {True}
