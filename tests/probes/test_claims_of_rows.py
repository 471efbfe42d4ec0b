"""A number that is told of a step is the one that stands in its row; a median is called one."""

from __future__ import annotations

from typing import Any

from medic.probes.curve import loss

from medic.facts import LogHits
from medic.index.knowledge import load
from medic.run_config import RunConfig
from tests.probes.test_curve_more import curve, series, thresholds

INDEX = load()


def plateau(look: Any, values: list[float]) -> Any:
    found = look(
        facts=[curve(series("loss", values)), LogHits(), RunConfig()], thresholds=thresholds()
    )
    return next(f for f in loss.run(found) if getattr(f, "name", "") == "loss-plateau")


def test_the_last_loss_is_told_as_its_row_has_it(look: Any) -> None:
    values = [4.84 + 0.004 * ((7 * n) % 5 - 2) for n in range(60)]
    values[-1] = 4.8413
    told = plateau(look, values).value
    assert (told["last_step"], told["last"]) == (60, 4.8413)


def test_a_last_loss_that_is_far_off_is_not_the_level(look: Any) -> None:
    values = [4.84] * 59 + [5.6]
    told = plateau(look, values).value
    assert told["last"] == 4.84
    assert told["last_step"] < 60


def test_medians_are_said_to_be_about() -> None:
    for name in ("reward-flat", "reward-collapses", "response-length-explodes"):
        seen = INDEX.raw["symptoms"][name]["seen"]
        assert "about {last}" in seen["en"]
        assert "约 {last}" in seen["zh"]
