"""Whether a log ends in a wait."""

from __future__ import annotations

import pytest
from medic.probes.training.hung import hung

from medic.facts import LogHits, Source, StepLine


@pytest.mark.parametrize(
    ("ended", "last", "found"),
    [
        ("badly", 141.0, True),
        ("badly", 112.0, False),  # as long as an evaluation
        ("well", 141.0, False),
        ("silent", 141.0, False),
        ("badly", None, False),
    ],
)
def test_no_step_before_the_end(ended: str, last: float | None, found: bool) -> None:
    steps = tuple(
        StepLine(10 * n, {"loss": 3.0}, Source("a.log", n, None, 60.0 + 5 * n)) for n in range(9)
    )
    told = hung(LogHits(steps=steps, ended=ended, last_time=last))  # type: ignore[arg-type]
    assert (told is not None) == found
    assert told is None or told.source.line == 8
