"""Speed beside a batch that grows, as Megatron's --rampup-batch-size lets it."""

from __future__ import annotations

import pytest
from medic.probes.curve import speed

from medic.facts import Curve, Series


class Look:
    def __init__(self, **columns: list[float]) -> None:
        steps = tuple(range(1, len(next(iter(columns.values()))) + 1))
        series = {n: Series(n, "m.log", steps, tuple(v), steps) for n, v in columns.items()}
        self.facts: dict[type, Curve] = {Curve: Curve(series)}

    def has(self, kind: type) -> bool:
        return kind in self.facts

    def fact(self, kind: type) -> Curve:
        return self.facts[kind]

    def files(self, *_: str) -> tuple[()]:
        return ()


@pytest.mark.parametrize(
    ("grows", "slower", "outcome"),
    [
        (True, 1.0, "absent"),
        (True, 2.0, "present"),
        (False, 8.0, "present"),
        (False, 1.0, "absent"),
    ],
)
def test_steps_are_held_against_their_batch(grows: bool, slower: float, outcome: str) -> None:
    sizes = [64.0 * (1 + min(n // 25, 7)) if grows else 512.0 for n in range(240)]
    seconds = [b / 128 * (slower if n >= 200 else 1.0) for n, b in enumerate(sizes)]
    found = list(speed.run(Look(step_time=seconds, batch_size=sizes)))
    assert [f.outcome for f in found if f.name == "throughput-drops"] == [outcome]


def test_a_rate_of_tokens_is_no_matter_of_the_batch() -> None:
    sizes = [64.0 if n < 120 else 512.0 for n in range(240)]
    rate = [4e5 if n < 120 else 2e5 for n in range(240)]
    found = list(speed.run(Look(tokens_per_s=rate, batch_size=sizes)))
    assert [f.outcome for f in found if f.name == "throughput-drops"] == ["present"]
