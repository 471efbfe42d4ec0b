"""What stood right before a NaN is of the log that has it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.curve.nan import PROBE

from medic.facts import Curve, Series
from medic.probe import Finding

STEPS = tuple(range(1, 41))
LOSSES = (*(2 - n / 100 for n in STEPS[:-1]), math.nan)
NORMS = tuple(1 + n % 3 / 10 for n in STEPS)
FILES = {"train.log": "step\n" * 40, "other.log": "step\n" * 40}
THRESHOLDS = {"precursor-steps": 10.0, "precursor-ratio": 3.0}


@pytest.mark.parametrize(("file", "told"), [("train.log", True), ("other.log", False)])
def test_norms_of_another_log_precede_nothing(
    look: Callable[..., Any], file: str, told: bool
) -> None:
    loss = Series("loss", "train.log", STEPS, LOSSES, STEPS)
    norm = Series("grad_norm", file, STEPS, NORMS, STEPS)
    series = {"loss": loss, "grad_norm": norm}
    curve = Curve(series=series, by_rank={0: series})
    found = [*PROBE.run(look(FILES, facts=[curve], thresholds=THRESHOLDS))]
    names = {one.name for one in found if isinstance(one, Finding)}
    assert "loss-nan" in names
    assert ("nan-precursor" in names) == told
