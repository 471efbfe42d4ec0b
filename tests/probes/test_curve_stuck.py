"""A loss that stays: at the height of guessing or not, with weights that change or not."""

from __future__ import annotations

import math
import random

import pytest
from medic.probes.curve import stuck

from medic.facts import Curve, Series, Source
from medic.run_config import Origin, RunConfig, Value


class Look:
    def __init__(self, norms: list[float], **config: int) -> None:
        steps = tuple(range(1, len(norms) + 1))
        series = Series("grad_norm", "m.jsonl", steps, tuple(norms), steps)
        stated = RunConfig({k: Value(v, Origin("given")) for k, v in config.items()})
        self.facts = {Curve: Curve({"grad_norm": series}), RunConfig: stated}

    def has(self, kind: type) -> bool:
        return kind in self.facts

    def fact(self, kind: type) -> object:
        return self.facts[kind]

    def files(self, *_: str) -> tuple[()]:
        return ()


@pytest.mark.parametrize(
    ("loss", "first", "config", "outcome"),
    [
        (math.log(256), math.log(256), {"vocab_size": 256}, "at-guessing"),
        (math.log(50257) + 0.02, 10.84, {"vocab_size": 50257}, "at-guessing"),
        (math.log(512) - 0.02, 6.4, {"vocab_size": 512}, "falls-to-guessing"),
        (6.42, 6.41, {"vocab_size": 512}, "at-start"),
        (7.3, 10.9, {"vocab_size": 50257}, "elsewhere"),
        (5.5, 5.5, {}, ""),
    ],
)
def test_the_height_of_guessing(
    loss: float, first: float, config: dict[str, int], outcome: str
) -> None:
    (found,) = stuck.level(Look([], **config), loss, first, Source())
    assert getattr(found, "outcome", "") == outcome


@pytest.mark.parametrize(("slope", "outcome"), [(0.0, "level"), (-0.02, "moves"), (0.02, "moves")])
def test_norms_of_weights_that_change_have_a_trend(slope: float, outcome: str) -> None:
    chance = random.Random(5)
    norms = [math.exp(slope * n + chance.gauss(0, 0.1)) for n in range(60)]
    (found,) = stuck.norms(Look(norms), 1)
    assert found.outcome == outcome


def test_few_norms_tell_nothing() -> None:
    (found,) = stuck.norms(Look([1.0, 0.5] * 5), 1)
    assert not hasattr(found, "outcome")


def test_noise_without_a_trend_has_none() -> None:
    chance = random.Random(3)
    runs = [[chance.lognormvariate(0, 0.5) for _ in range(40)] for _ in range(300)]
    assert sum(abs(stuck.trend(run)) > stuck.SIGMAS for run in runs) <= 2
    assert stuck.trend(list(range(400))) > 10
