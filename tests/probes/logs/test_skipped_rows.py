"""A batch whose update was skipped is no point of the curve, unless its loss is no number."""

from __future__ import annotations

import pytest
from medic.probes.logs.skipped_rows import is_skipped
from medic.probes.logs.step_rows import StepRows

from medic.facts import Source


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("iter 403 grad norm 7.18 is over 3x its average 1.53, loss 4.609: update skipped", False),
        ("step 403 loss 4.609 grad_norm 7.1, skipping this step", False),
        ("step 403 loss 4.609 grad_norm 7.1，跳过本次更新", False),
        ("step 403 loss nan grad_norm 7.1, skipping this step", True),
        ("step 403 | loss 4.609 | skipped steps: 0", True),
        ("step 403 | loss 4.609 | number of skipped iterations: 1 |", True),
    ],
)
def test_a_skipped_update(line: str, kept: bool) -> None:
    rows = StepRows()
    assert rows.feed(line, None, lambda: Source("log", 1))
    assert ("loss" in rows.settle()[0].values) is kept
    assert is_skipped(line) is not (kept and "nan" not in line)
