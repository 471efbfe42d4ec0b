"""What a launcher waits for and gets, and lines of no rank above steps of several ranks."""

from __future__ import annotations

from typing import Any

import pytest

from medic.facts import LogHits

WAIT = "srun: Job 7 step creation temporarily disabled, retrying (Requested nodes are busy)\n"
CAME = "srun: Step created for StepId=7.1\n"
STEPS = "".join(f"{r}: step {s} loss 1.9\n" for s in (100, 200, 300) for r in (0, 1))


def counted(seen: Any) -> list[str]:
    return [h.signature for h in seen[LogHits].hits if h.role == "root" and not h.benign]


@pytest.mark.parametrize(
    "text", [WAIT + CAME, WAIT + CAME + STEPS, WAIT + STEPS, 2 * (WAIT + CAME)]
)
def test_a_wait_that_is_over(read: Any, text: str) -> None:
    assert "step-creation-retried" not in counted(read(text))


@pytest.mark.parametrize("text", [WAIT, CAME + WAIT, STEPS + WAIT, WAIT + WAIT + CAME])
def test_a_wait_that_goes_on(read: Any, text: str) -> None:
    assert "step-creation-retried" in counted(read(text))


def test_every_rank_has_to_be_seen_after_a_line_of_none(read: Any) -> None:
    only_one = "0: step 100 loss 2\n1: step 100 loss 2\n" + WAIT + "0: step 200 loss 2\n" * 3
    assert "step-creation-retried" in counted(read(only_one))
    both = only_one + "1: step 200 loss 2\n1: step 300 loss 2\n"
    assert "step-creation-retried" not in counted(read(both))
