"""A loss that no line holds, because it was NaN: Megatron counts such steps instead."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.curve import nan
from medic.probes.logs import loss_scale

from medic.facts import Curve, LogHits, Series, Source, StepLine
from medic.probe import Finding


def series(name: str, values: list[float], first: int = 1) -> Series:
    steps = tuple(10 * n for n in range(first, first + len(values)))
    return Series(name, "train.log", steps, tuple(values), steps, 0)


@pytest.mark.parametrize(
    ("losses", "counts", "step"),
    [
        ([], [10.0] * 5, 10),
        ([4.0] * 6, [0.0] * 6 + [10.0] * 4, 70),
        ([4.0] * 6, [0.0] * 5 + [3.0] + [10.0] * 4, 60),
        ([4.0] * 6, [0.0] * 6, None),
        ([4.0] * 6, [0.0] * 6 + [1.0], None),  # a lone one is skipped, and training goes on
    ],
)
def test_nan_losses_that_only_are_counted(
    look: Any, losses: list[float], counts: list[float], step: int | None
) -> None:
    named = {"nan_iterations": series("nan_iterations", counts)}
    if losses:
        named["loss"] = series("loss", losses)
    found = nan.PROBE.run(
        look(
            {},
            facts=[Curve(named, {0: named})],
            thresholds={"precursor-steps": 10, "precursor-ratio": 3},
        )
    )
    told = [f.value["step"] for f in found if isinstance(f, Finding) and f.name == "loss-nan"]
    assert told == ([] if step is None else [step])


def scaled(skipped: list[float], scales: list[float]) -> LogHits:
    steps = tuple(
        StepLine(10 * n, {"skipped_iterations": lost, "loss_scale": scale}, Source("t.log", n))
        for n, (lost, scale) in enumerate(zip(skipped, scales, strict=True), 1)
    )
    return LogHits(steps=steps, ended="well")


@pytest.mark.parametrize(
    ("skipped", "scales", "outcome"),
    [
        ([10.0] * 8, [2.0**22, 2.0**12, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0], "collapses"),
        ([10.0, 9.0, *[0.0] * 6], [2.0**22, 2.0**13, *[2.0**13] * 6], "steady"),
        ([0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [2.0**16] * 8, "steady"),
        ([10.0, 10.0, 10.0], [2.0**22, 2.0**12, 4.0], "steady"),  # may calibrate still
    ],
)
def test_a_run_that_ends_well_and_skipped_each_step(
    look: Any, skipped: list[float], scales: list[float], outcome: str
) -> None:
    seen = look(
        {},
        facts=[scaled(skipped, scales)],
        thresholds={"precursor-steps": 10, "precursor-ratio": 3},
    )
    found = {f.name: f.outcome for f in loss_scale.PROBE.run(seen)}
    assert found["loss-scale"] == outcome
    assert ("loss-scale-collapses" in found) == (outcome == "collapses")
