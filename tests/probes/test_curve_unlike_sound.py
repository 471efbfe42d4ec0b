"""What no sound curve shows: evaluations far off, leaps again and again."""

from __future__ import annotations

import math

import pytest
from medic.probes.curve import unlike_sound

from medic.facts import Curve, PrintedStart, Series, Source
from medic.run_config import Origin, RunConfig, Value

FALLS = [6.2 - 2 * (1 - math.exp(-n / 15)) + 0.05 * math.sin(9 * n) for n in range(48)]
SORTED = [*FALLS[:16], *FALLS[:16], *(f + 0.5 for f in FALLS[:16])]
SPIKES = [f + (2.5 if n in (15, 30) else 0) for n, f in enumerate(FALLS)]


class Look:
    def __init__(self, losses: list[float], held: list[float]) -> None:
        steps = tuple(range(1, len(losses) + 1))
        every = len(losses) // (len(held) + 1)
        at = tuple(every * n for n in range(1, len(held) + 1))
        series = {"loss": Series("loss", "m.jsonl", steps, tuple(losses), steps)}
        if held:
            series["eval_loss"] = Series("eval_loss", "m.jsonl", at, tuple(held), at)
        self.facts = {Curve: Curve(series), RunConfig: RunConfig({})}

    def has(self, kind: type) -> bool:
        return kind in self.facts

    def fact(self, kind: type) -> object:
        return self.facts[kind]

    def files(self, *_: str) -> tuple[()]:
        return ()


@pytest.mark.parametrize(
    ("losses", "held", "outcome"),
    [
        (FALLS, [53.3, 49.3, 47.1], "evaluated-far-above-a-guess"),
        (FALLS, [6.23, 6.22, 6.2, 6.19], "evaluated-as-at-the-start"),
        (SORTED, [], "leaps-again-and-again"),
        (FALLS, [5.4, 4.9, 4.6], "none"),
        (FALLS, [4.9, 6.9, 9.8], "none"),  # learned by heart: another check tells that
        (SPIKES, [], "none"),
        ([f + 0.9 * math.sin(n * n) for n, f in enumerate(FALLS)], [], "none"),  # batches of one
        ([1.4 - n / 100 for n in range(48)], [1.42, 1.41, 1.41], "none"),  # began trained
    ],
)
def test_what_no_sound_run_shows(losses: list[float], held: list[float], outcome: str) -> None:
    found = list(unlike_sound.run(Look(losses, held)))
    assert found[0].outcome == outcome
    assert [f.name for f in found[1:]] == [
        unlike_sound.SHOWS[o] for o in [outcome] if o in unlike_sound.SHOWS
    ]


@pytest.mark.parametrize(
    ("updates", "summed", "stated", "told"),
    [(3, 32, False, "few-updates"), (3, 1, False, ""), (3, 32, True, ""), (300, 32, False, "")],
)
def test_a_handful_of_updates_that_nobody_asked_for(
    updates: int, summed: int, stated: bool, told: str
) -> None:
    look = Look(FALLS[:8], [])
    line = Source("train.log", 5)
    look.facts[PrintedStart] = PrintedStart(
        {"total_steps": (updates, line), "global_batch_size": (16 * summed, line)}
    )
    values = {"gradient_accumulation_steps": Value(summed, Origin("file"))}
    values |= {"total_steps": Value(updates, Origin("file"))} if stated else {}
    look.facts[RunConfig] = RunConfig(values)
    (found,) = unlike_sound.run(look)
    assert getattr(found, "outcome", "") == told


def test_few_rows_tell_nothing() -> None:
    (skip,) = unlike_sound.run(Look(FALLS[:8], []))
    assert skip.check == unlike_sound.CHECK
