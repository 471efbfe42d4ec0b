"""A number that is told of a step is the one that stands in its row; also where it is the level."""

from __future__ import annotations

from typing import Any

from medic.probes.curve import loss

from medic.facts import LogHits
from medic.run_config import RunConfig
from tests.probes.test_curve_more import curve, series, thresholds


def plateau(look: Any, values: list[float]) -> Any:
    found = look(
        facts=[curve(series("loss", values)), LogHits(), RunConfig()], thresholds=thresholds()
    )
    return next(f for f in loss.run(found) if getattr(f, "name", "") == "loss-plateau")


def test_the_last_loss_is_told_as_its_row_has_it(look: Any) -> None:
    values = [4.84 + 0.004 * ((7 * n) % 5 - 2) for n in range(60)]
    told = plateau(look, values).value
    assert told["level"] == values[told["last_step"] - 1]
