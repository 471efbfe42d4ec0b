"""Speed beside a batch that grows, as Megatron's --rampup-batch-size lets it, and beside sequences
whose new length is announced."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from medic.probes.curve import speed
from medic.probes.logs.steps import Step, Steps

from medic.facts import Curve, Series
from medic.records import replace


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


@pytest.mark.parametrize(
    ("line", "length"),
    [
        ("curriculum: sequence length is now 128", 128),
        ("[curriculum] seq_len: 64 -> 128", 128),
        ("context window increased to 8192", 8192),
        ("序列长度改为 8192", 8192),
        ("sequence length: 128", None),
        ("Token indices sequence length is longer than the maximum (1034 > 1024)", None),
    ],
)
def test_a_new_length_is_announced(line: str, length: int | None) -> None:
    steps = Steps()
    assert steps.read(line) is None  # before all steps it is no change
    steps.read("step 140/500 | loss 2.1")
    told = steps.read(line)
    assert told == (Step(140, {"sequence_length": length}) if length else None)


@pytest.mark.parametrize(
    ("line", "batch"),
    [
        ("batch size 32 -> 64", 64),
        ("[ramp] gradient_accumulation_steps is now 16", 16),
        ("累积步数改为 16", 16),
        ("batch size: 64", None),
        ("out of memory at batch 64", None),
    ],
)
def test_a_larger_batch_is_announced(line: str, batch: int | None) -> None:
    steps = Steps()
    steps.read("step 140/500 | loss 2.1")
    told = steps.read(line)
    assert told == (Step(140, {"batch_announced": batch}) if batch else None)


@pytest.mark.parametrize(
    ("at", "rate", "told"),
    [
        ((80, 160), lambda n: 8e5 / (1 + n // 80), []),
        ((80,), lambda n: 8e5 / (1 + n // 80), ["present"]),  # the second fall is no larger batch's
        ((80, 160), lambda n: 8e5 * 0.995**n, ["present"]),  # falls within each of them
    ],
)
def test_each_announced_batch_is_a_speed_of_its_own(
    at: tuple[int, ...], rate: Callable[[int], float], told: list[str]
) -> None:
    look = Look(samples_per_s=[rate(n) for n in range(240)])
    sizes = tuple(64.0 * 2**n for n in range(len(at)))
    curve = look.facts[Curve]
    grown = {"batch_announced": Series("batch_announced", "m.log", at, sizes, at)}
    look.facts[Curve] = replace(curve, series={**curve.series, **grown})
    found = list(speed.run(look))
    assert [f.outcome for f in found if f.name == "throughput-drops"] == told


@pytest.mark.parametrize(("first", "told"), [(120, []), (1, ["present"])])
def test_sequences_that_were_shorter_before(first: int, told: list[str]) -> None:
    """Announced in the run the length before it is not known; one of the whole run explains nothing."""
    look = Look(tokens_per_s=[8e5 if n < 130 else 4e5 for n in range(240)])
    lengths = Series("sequence_length", "m.log", (first,), (128.0,), (first,))
    curve = look.facts[Curve]
    look.facts[Curve] = replace(curve, series={**curve.series, lengths.name: lengths})
    found = list(speed.run(look))
    assert [f.outcome for f in found if f.name == "throughput-drops"] == told
