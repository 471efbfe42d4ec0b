"""What no sound curve shows: evaluations far off, leaps again and again, an end while it got better."""

from __future__ import annotations

import math

import pytest
from medic.probes.curve import unlike_sound

from medic.facts import Curve, LogHits, Series
from medic.run_config import Origin, RunConfig, Value

FALLS = [6.2 - 2 * (1 - math.exp(-n / 15)) + 0.05 * math.sin(9 * n) for n in range(48)]
SORTED = [*FALLS[:16], *FALLS[:16], *(f + 0.5 for f in FALLS[:16])]
SPIKES = [f + (2.5 if n in (15, 30) else 0) for n, f in enumerate(FALLS)]


class Look:
    def __init__(self, losses: list[float], held: list[float], last: int, planned: int) -> None:
        steps = tuple(range(1, len(losses) + 1))
        every = len(losses) // (len(held) + 1)
        at = tuple(every * n for n in range(1, len(held) + 1))
        series = {"loss": Series("loss", "m.jsonl", steps, tuple(losses), steps)}
        if held:
            series["eval_loss"] = Series("eval_loss", "m.jsonl", at, tuple(held), at)
        stated = RunConfig({"total_steps": Value(planned, Origin("given"))})
        logs = LogHits(ended="well", last_step=last)
        self.facts = {Curve: Curve(series), RunConfig: stated, LogHits: logs}

    def has(self, kind: type) -> bool:
        return kind in self.facts

    def fact(self, kind: type) -> object:
        return self.facts[kind]

    def files(self, *_: str) -> tuple[()]:
        return ()


@pytest.mark.parametrize(
    ("losses", "held", "last", "outcome"),
    [
        (FALLS, [53.3, 49.3, 47.1], 48, "evaluated-far-above-a-guess"),
        (FALLS, [6.23, 6.22, 6.2, 6.19], 48, "evaluated-as-at-the-start"),
        (SORTED, [], 48, "leaps-again-and-again"),
        (FALLS, [5.9, 5.5, 5.4], 20, "ended-while-evaluations-fell"),
        (FALLS, [5.4, 4.9, 4.6], 48, "none"),
        (FALLS, [5.4, 5.1, 5.2], 20, "none"),  # it got no better
        (FALLS, [4.9, 6.9, 9.8], 48, "none"),  # learned by heart: another check tells that
        (SPIKES, [], 48, "none"),
        ([1.4 - n / 100 for n in range(48)], [1.42, 1.41, 1.41], 48, "none"),  # began trained
    ],
)
def test_what_no_sound_run_shows(
    losses: list[float], held: list[float], last: int, outcome: str
) -> None:
    found = list(unlike_sound.run(Look(losses, held, last, 48)))
    assert found[0].outcome == outcome
    assert [f.name for f in found[1:]] == [
        unlike_sound.SHOWS[o] for o in [outcome] if o in unlike_sound.SHOWS
    ]


def test_few_rows_tell_nothing() -> None:
    (skip,) = unlike_sound.run(Look(FALLS[:8], [], 8, 8))
    assert skip.check == unlike_sound.CHECK
