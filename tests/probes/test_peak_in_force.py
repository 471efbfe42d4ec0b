"""A warmup that ends as set at a rate far below the one that is set; and who steps the schedule."""

from __future__ import annotations

import pytest
from medic.probes.curve import as_planned
from medic.probes.flags.launches import launches_of

from medic.facts import Curve, Launches, Series
from medic.run_config import Origin, RunConfig, Setting, Span, Value
from medic.syntax import parse

SPAN = Span("c.yaml", 0, 1, 16, 1, 16, 2)


class Look:
    def __init__(self, top: float, warmup: int, key: str = "lr", first: int = 1) -> None:
        steps = tuple(range(first, 201))
        rates = tuple(top * min(1, n / 20) * (1 - max(0, n - 20) / 200) for n in steps)
        lines = tuple(range(len(steps)))
        curve = Curve(
            {
                "loss": Series("loss", "m.jsonl", steps, tuple(6.2 for _ in steps), lines),
                "learning_rate": Series("learning_rate", "m.jsonl", steps, rates, lines),
            }
        )
        at = Origin("file", SPAN, key=key)
        values = {"learning_rate": Value(3e-3, at), "warmup_steps": Value(warmup, at)}
        self.config = RunConfig(values, settings=(Setting((key,), 3e-3, at),))
        self.facts: dict[type, object] = {
            Curve: curve,
            RunConfig: self.config,
        }

    def has(self, kind: type) -> bool:
        return kind in self.facts

    def fact(self, kind: type) -> object:
        return self.facts[kind]

    def files(self, *_: str) -> tuple[()]:
        return ()

    def parse(self, path: str) -> object:
        from medic.errors import Unreadable

        raise Unreadable(path, path)


@pytest.mark.parametrize(
    ("look", "told"),
    [
        (Look(1e-5, 20), True),
        (Look(3e-3, 20), False),
        (Look(1e-3, 20), False),  # a third: a schedule or a scale may do that
        (Look(1e-5, 60), False),  # the schedule is another one, too
        (Look(1e-5, 20, key="layer_decay"), False),
        (Look(1e-5, 20, first=80), False),  # the warmup is not logged
    ],
)
def test_a_peak_that_is_not_the_one_that_is_set(look: Look, told: bool) -> None:
    found = [f for f in as_planned.run(look) if getattr(f, "outcome", "") == "far-below"]
    assert bool(found) is told


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("python train.py --cfg c.yaml", True),
        ("accelerate launch train.py --cfg c.yaml", False),
        ("python train.py --cfg c.yaml --deepspeed", False),  # a word of the settings
    ],
)
def test_whether_an_engine_may_step_the_schedule(command: str, told: bool) -> None:
    look, at = Look(4e-2, 20), Origin("file", SPAN, key="lr")
    launches = launches_of(parse(f"{command}\n".encode(), "run.sh"))
    look.facts[Launches] = Launches(tuple(launches))
    if "--deepspeed" in command:
        config = look.config
        settings = (*config.settings, Setting(("deepspeed",), "ds.json", at))
        look.facts[RunConfig] = RunConfig(config.values, settings=settings)
    found = [getattr(f, "name", "") for f in as_planned.run(look)]
    assert "learning-rate-not-as-set" in found
    assert ("training-engine" in found) is told
