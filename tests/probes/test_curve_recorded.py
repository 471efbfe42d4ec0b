"""What curves of recorded runs taught: signs that stand beside healthy ones."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from medic.probes.curve import gap, loss, nan, resumed_rate, throughput

from medic.facts import Curve, LogHits, Series, Source, StepLine
from medic.run_config import RunConfig
from tests.probes.test_curve_more import curve, series, told

STEPS = list(range(10, 401, 10))
EVALS = [100, 200, 300, 400]


def training(last: float) -> Series:
    """A loss of a new model that falls to ``last`` within a third of the run."""
    values = [last + (6.3 - last) * math.exp(-step / 30) for step in STEPS]
    return series("loss", values, STEPS)


@pytest.mark.parametrize(
    ("last", "held", "found"),
    [
        (0.003, [1.9, 0.026, 0.025, 0.023], {"loss-floor": "near-zero-from-scratch"}),
        (0.003, [4.3, 4.8, 5.3, 5.7], {"validation-gap": "validation-turns-up"}),
        (0.07, [0.66, 0.13, 0.07, 0.07], {"loss-floor": "near-zero-from-scratch"}),
        (0.07, [1.9, 1.2, 0.6, 0.4], {}),  # text that was learned by heart
        (0.003, [0.8, 0.7, 0.7, 0.75], {}),
        (1.5, [2.0, 1.8, 1.8, 1.8], {}),
        (1.5, [0.1, 0.1, 0.1, 0.1], {}),
    ],
)
def test_four_evaluations_tell_only_the_plain_cases(
    look: Any, last: float, held: list[float], found: dict[str, str]
) -> None:
    seen = told(look, gap, curve(training(last), series("eval_loss", held, EVALS)))
    assert {k: v for k, v in seen.items() if k in ("loss-floor", "validation-gap")} == found
    assert (seen.get("loss-suspiciously-low") == "present") is ("loss-floor" in found)


@pytest.mark.parametrize(
    ("end", "steps", "outcome"),
    [
        (5.6, 400, "present"),
        (4.8, 400, "absent"),  # a quarter less than at the begin
        (5.6, 200, "absent"),
    ],
)
def test_a_new_model_that_hardly_learned(look: Any, end: float, steps: int, outcome: str) -> None:
    at = list(range(10, steps + 1, 10))
    values = [6.3 + (end - 6.3) * n / (len(at) - 1) for n in range(len(at))]
    seen = told(look, loss, curve(series("loss", values, at), planned_steps=steps))
    assert seen["loss-plateau"] == outcome
    assert "plateau-level" not in seen


def test_a_jump_behind_a_steep_fall_is_seen(look: Any) -> None:
    """Fifty points back the curve was high: that it fell is not its noise."""
    rng = random.Random(3)
    values = [(1.6 + 4.6 * math.exp(-n / 9)) * math.exp(rng.gauss(0, 0.01)) for n in range(80)]
    values[55:] = [v + 0.9 for v in values[55:]]
    at = list(range(5, 401, 5))
    assert told(look, loss, curve(series("loss", values, at)))["loss-spike"] == "present"
    values[55:] = [v - 0.9 for v in values[55:]]
    assert told(look, loss, curve(series("loss", values, at)))["loss-spike"] == "absent"


@pytest.mark.parametrize(
    ("losses", "norms", "outcome"),
    [
        ([math.inf] * 10, [0.8 + 0.01 * n for n in range(10)], "loss-infinite-alone"),
        ([math.inf] * 10, [0.8] * 10, "stays-nan"),  # a number that is repeated
        ([math.nan] * 10, [0.8 + 0.01 * n for n in range(10)], "stays-nan"),
        ([math.inf] * 10, [math.nan] * 10, "gradient-nan"),
    ],
)
def test_an_infinite_loss_with_gradients(
    look: Any, losses: list[float], norms: list[float], outcome: str
) -> None:
    before = [6.0 - 0.1 * n for n in range(10)]
    seen = curve(
        series("loss", before + losses),
        series("grad_norm", [1.0 + 0.01 * n for n in range(10)] + norms),
    )
    assert told(look, nan, seen)["nan-gradient"] == outcome


@pytest.mark.parametrize(("waits", "outcome"), [(0.05, "loader-bound"), (0.001, "compute-bound")])
def test_the_rank_that_waits_longest_rules(look: Any, waits: float, outcome: str) -> None:
    def rank(wait: float) -> dict[str, Series]:
        times = {"step_time": [0.07] * 20, "data_time": [wait] * 20, "loss": [2.0] * 20}
        return {name: series(name, values) for name, values in times.items()}

    first = rank(0.0004)
    seen = Curve(first, {0: first, 1: rank(waits)})
    assert told(look, throughput, seen, LogHits(), RunConfig())["step-bound"] == outcome


def log(file: str, begins: float, steps: range, rate: Any) -> list[StepLine]:
    return [
        StepLine(s, {"learning_rate": rate(s)}, Source(file, n, None, begins + n))
        for n, s in enumerate(steps, 1)
    ]


def warm(step: int) -> float:
    return 1e-3 * min(step, 100) / 100


@pytest.mark.parametrize(
    ("steps", "rate", "begins", "told_by"),
    [
        (
            range(210, 401, 10),
            lambda s: warm(s - 200),
            9000.0,
            {"resume-difference", "rate-after-resume"},
        ),
        (range(210, 401, 10), warm, 9000.0, set()),  # it goes on
        (range(10, 401, 10), warm, 9000.0, set()),  # another run
        (range(210, 401, 10), lambda s: warm(s - 200), 1000.0, set()),  # of the same time
    ],
)
def test_a_second_log_that_goes_on(
    look: Any, steps: range, rate: Any, begins: float, told_by: set[str]
) -> None:
    lines = log("a.log", 1000.0, range(10, 401, 10), warm) + log("b.log", begins, steps, rate)
    found = told(look, resumed_rate, LogHits(steps=tuple(lines)))
    assert set(found) - {"learning-rate-not-as-set"} == told_by
