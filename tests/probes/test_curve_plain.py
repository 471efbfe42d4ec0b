"""Faults that a curve shows plainly, few points or slow, each beside a twin that stays quiet."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
from medic.probes.curve import constant, gap, loss, policy, resumed_rate, rises
from medic.probes.curve import curve as reading

from tests.probes.test_curve_more import curve, series, told

UP = [2.3, 3.8, 3.4, 8.3, 4.8, 5.0, 11.1, 11.6, 11.8, 14.6, 38.5, 45.8]


@pytest.mark.parametrize(
    ("values", "far"),
    [
        (UP, True),
        ([2.3, 2.4, 3.4, 3.3, 4.8, 5.0, 11.1, 11.6], True),
        (UP[:7], False),  # fewer than ranks can tell
        ([2.3, 2.2, 2.4, 2.3, 3.9, 4.1, 2.2, 2.3, 2.4, 2.2, 2.3, 2.4], False),
        ([2.3, 2.2, 2.1, 2.0, 3.2, 3.1, 3.0, 2.9, 2.8, 2.7, 2.6, 2.5], False),  # a harder stage
        ([10.8 - 0.5 * n for n in range(12)], False),
    ],
)
def test_a_loss_that_rises_far_above_its_start_is_told_with_few_points(
    look: Any, values: list[float], far: bool
) -> None:
    found = told(look, loss, curve(series("loss", values, [20 * n for n in range(len(values))])))
    assert (found.get("loss-diverges") == "present") == far


def _noisy(level: Any, count: int = 1600) -> list[float]:
    chance = random.Random(7)
    return [level(n / count) + chance.gauss(0, 0.03) for n in range(count)]


@pytest.mark.parametrize(
    ("level", "climbs"),
    [
        (lambda t: 4.4 + 6 * math.exp(-9 * t) + 0.8 * max(0.0, t - 0.4), True),
        (lambda t: 4.4 + 6 * math.exp(-9 * t), False),
        (lambda t: 4.4 + 6 * math.exp(-9 * t) + (0.4 if t > 0.55 else 0.0), False),
        (lambda t: 4.4 + 0.2 * math.sin(20 * t) + 6 * math.exp(-9 * t), False),
    ],
)
def test_a_slow_climb_is_no_fall(level: Any, climbs: bool) -> None:
    assert rises.slowly(None, _noisy(level), 0.01) == climbs


def test_a_climb_with_a_rate_that_rises_is_a_restart() -> None:
    values = _noisy(lambda t: 4.4 + 6 * math.exp(-9 * t) + 0.8 * max(0.0, t - 0.4))
    rate = series("learning_rate", [1e-4 * (1 + n / 800) for n in range(1600)])
    assert not rises.slowly(rate, values, 0.01)


@pytest.mark.parametrize("start", [0, 4000])
@pytest.mark.parametrize("value", [2.5, 2.302585, 0.6931])
def test_a_loss_that_is_one_number_from_the_begin_on_stands(
    look: Any, value: float, start: int
) -> None:
    at = [start + n for n in range(200)]
    found = told(look, loss, curve(series("loss", [value] * 200, at)))
    few_digits = value == 2.5 or value == 0.6931
    assert (found.get("loss-plateau") == "present") == (not start or not few_digits)
    same = told(look, constant, curve(series("loss", [value] * 200, at)))
    assert (same.get("loss-exactly-constant") == "same-number") == (not start or not few_digits)
    pairs = curve(series("loss", [value] * 200, at), series("pair_accuracy", [0.5] * 200, at))
    assert told(look, constant, pairs).get("loss-exactly-constant") != "same-number"
    moving = curve(series("loss", [value] * 199 + [value + 0.01], at))
    assert told(look, constant, moving).get("loss-exactly-constant") != "same-number"


def test_evaluations_that_are_written_after_training_cut_nothing(look: Any) -> None:
    rows: list[dict[str, float]] = [{"step": n, "loss": 3.0} for n in range(50)]
    rows += [{"step": n, "eval_loss": 3.1} for n in (10, 20, 30)]
    text = "\n".join(json.dumps(row) for row in rows)
    (found,) = reading.run(look({"metrics.jsonl": text}))
    assert len(found.series["loss"].steps) == 50
    assert found.series["eval_loss"].steps == (10, 20, 30)


def test_training_that_goes_back_behind_evaluations_is_still_a_restart(look: Any) -> None:
    rows: list[dict[str, float]] = [{"step": n, "loss": 3.0} for n in range(50)]
    rows += [{"step": 20, "eval_loss": 3.1}]
    rows += [{"step": n, "loss": 2.0} for n in range(21, 40)]
    text = "\n".join(json.dumps(row) for row in rows)
    (found,) = reading.run(look({"metrics.jsonl": text}))
    assert found.series["loss"].steps == tuple(range(40))


@pytest.mark.parametrize(
    ("held", "up"),
    [
        ([3.0, 3.45, 3.9], True),
        ([3.4, 2.2, 2.9, 3.6], True),
        ([3.0, 3.05, 3.1], False),  # what a small set scatters by
        ([3.0, 3.5, 3.2], False),
        ([3.9, 3.45, 3.0], False),
    ],
)
def test_three_evaluations_that_only_rise_while_training_falls(
    look: Any, held: list[float], up: bool
) -> None:
    train = series("loss", [2.0 + 8 * math.exp(-n / 100) for n in range(600)])
    at = [600 // len(held) * (n + 1) for n in range(len(held))]
    found = told(look, gap, curve(train, series("eval_loss", held, at)))
    assert (found.get("validation-loss-rises") == "present") == up
    level = series("loss", [4.0] * 600)
    beside = told(look, gap, curve(level, series("eval_loss", held, at)))
    assert beside.get("validation-loss-rises") != "present"


def _falls(n: int) -> float:
    return 2.4 + 1.8 * math.exp(-n / 60)


@pytest.mark.parametrize(
    ("height", "length", "told_"), [(4.0, 40, True), (4.0, 3, False), (1.4, 8, False)]
)
def test_a_jump_to_the_first_losses_that_is_learned_anew(
    look: Any, height: float, length: int, told_: bool
) -> None:
    chance = random.Random(3)
    values = [_falls(n) + chance.gauss(0, 0.03) for n in range(500)]
    for n in range(length):
        values[250 + n] += height * math.exp(-2 * n / length)
    found = told(look, loss, curve(series("loss", values)))
    assert (found["loss-spike"] == "present") == told_
    assert found.get("loss-jump-timing") != "single-step" or not told_


@pytest.mark.parametrize(
    ("floor", "jump", "restarts"), [(3e-6, 2.5, True), (3e-6, 0.0, False), (2e-4, 2.5, False)]
)
def test_a_rate_that_is_lost_in_the_row_where_the_loss_jumps(
    look: Any, floor: float, jump: float, restarts: bool
) -> None:
    values = [_falls(n) + (jump * math.exp(-(n - 250) / 40) if n >= 250 else 0) for n in range(500)]
    rates = [2e-4 if n < 250 else min(2e-4, floor * (n - 249)) for n in range(500)]
    both = curve(series("loss", values), series("learning_rate", rates))
    found = told(look, resumed_rate, both)
    assert (found.get("learning-rate-not-as-set") == "present") == restarts
    assert told(look, loss, both).get("loss-jump-timing") != "single-step" or not restarts


@pytest.mark.parametrize("kind", ["lost", "also-evaluated", "sparse", "short"])
def test_a_loss_that_is_null_to_the_end_is_not_finite(look: Any, kind: str) -> None:
    rows: list[dict[str, Any]] = [{"step": n, "loss": 3.0} for n in range(30)]
    if kind == "sparse":
        rows = [r if r["step"] % 2 else {"step": r["step"], "loss": None} for r in rows]
    tail = {"loss": None, "eval_loss": 2.0} if kind == "also-evaluated" else {"loss": None}
    rows += [{"step": n, **tail} for n in range(30, 33 if kind == "short" else 50)]
    (found,) = reading.run(look({"metrics.jsonl": "\n".join(json.dumps(r) for r in rows)}))
    assert any(math.isnan(v) for v in found.series["loss"].values) == (kind == "lost")


STAGES = (0.35, 0.45, 0.55, 0.65, 0.75, 0.79, 0.79, 0.31, 0.4, 0.47, 0.59, 0.65, 0.68, 0.66, 0.28,
          0.36, 0.43, 0.49, 0.54, 0.55)  # fmt: skip


@pytest.mark.parametrize(
    ("levels", "flat", "falls"),
    [
        (STAGES, False, False),
        (STAGES[:6] + (0.2,) * 14, False, True),
        ((0.4,) * 20, True, False),
    ],
)
def test_a_reward_over_stages_that_get_harder(
    look: Any, levels: tuple[float, ...], flat: bool, falls: bool
) -> None:
    chance = random.Random(11)
    values = [levels[n // 25] + chance.gauss(0, 0.05) for n in range(500)]
    found = told(look, policy, curve(series("reward", values)))
    assert (found["reward-flat"] == "present") == flat
    assert (found["reward-collapses"] == "present") == falls


@pytest.mark.parametrize(
    ("start", "fall", "quiet"), [(0.69, 0.3, True), (0.69, 0.0, False), (2.0, 1.0, False)]
)
def test_the_mean_that_a_reward_model_gives_need_not_rise(
    look: Any, start: float, fall: float, quiet: bool
) -> None:
    chance = random.Random(11)
    losses = [start - fall * n / 300 + chance.gauss(0, 0.02) for n in range(300)]
    scores = [chance.gauss(0, 0.2) for _ in range(300)]
    found = told(look, policy, curve(series("reward", scores), series("loss", losses)))
    assert (found.get("reward-flat") != "present") == quiet
