"""What was wanted beside the estimate: a claim where a bound of the estimate carries it, else none."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.oom_beside_estimate import judge

from medic.facts import MemoryEstimate
from medic.i18n import Text

GIB = 2**30
# 66.1 GiB of tensors, 18.6 more wanted, 1.9 outside torch: 86.6 of 79.1
NUMBERS = {"total": 79.1, "free": 9.2, "process": 69.9, "allocated": 66.1, "unallocated": 1.9}


def outcome(low: float, likely: float | None, high: float | None, **more: Any) -> str | None:
    request, fields = more.pop("request", 18.6), {**NUMBERS, **more.pop("numbers", {})}
    numbers = {name: int(n * GIB) for name, n in {**fields, "request": request}.items()}
    sizes = [None if n is None else int(n * GIB) for n in (low, likely, high)]
    found = MemoryEstimate(low=sizes[0], estimate=sizes[1], high=sizes[2], **more)
    told: str | None = judge(numbers, found)
    return told


@pytest.mark.parametrize(
    ("estimate", "more", "expected"),
    [
        ((30, 44, 54), {}, "less-than-wanted"),
        ((70, 82, 90), {}, "as-wanted"),
        ((81, 90, 99), {}, "more-than-the-card"),
        ((81, None, None), {}, "more-than-the-card"),
        ((30, 44, 54), {"numbers": {"free": 0.4, "process": 29.0, "allocated": 27.0}}, None),
        # its high end would not fit, or holds what was wanted; or it fits and its range is wide
        ((30, 60, 78), {}, None),
        ((30, 60, 90), {}, None),
        # a part that is not known or was never measured, and ranks that may have shared it
        ((30, None, None), {}, None),
        ((30, 44, 54), {"unknown": ("sequence_length",)}, None),
        ((30, 44, 54), {"not_measured": (Text("experts", "专家"),)}, None),
        ((81, 90, 99), {"assumed": {"world_size": "1"}}, None),
    ],
)
def test_outcomes(estimate: Any, more: dict[str, Any], expected: str | None) -> None:
    assert outcome(*estimate, **more) == expected


def test_a_message_without_what_was_allocated_says_nothing() -> None:
    numbers = {"total": 79 * GIB, "request": GIB, "free": 0}
    assert judge(numbers, MemoryEstimate(low=90 * GIB)) is None
