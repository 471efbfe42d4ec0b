"""A learning rate that leaps where one log says that the run resumes, and rates that may."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from medic.probes.curve import curve, rate, resumed_rate

from medic.facts import Curve, LogHits, Source, StepLine

_LINE = "2025-05-02 10:{m:02d}:00 INFO step {s}/600 loss={l:.4f} lr={r:.3e}"
_RESUME = "2025-05-02 10:41:30 INFO train: resuming training from step 399"
_SAVED = "2025-05-02 10:41:30 INFO train: saved checkpoint out/step_399.pt"


def _log(rates: list[float], word: str) -> str:
    lines = [_LINE.format(m=n, s=10 * n, l=5 - n / 20, r=r) for n, r in enumerate(rates, 1)]
    return "\n".join([*lines[:40], word, *lines[40:]]) + "\n"


DECAY = [3e-3 * (1 - n / 60) for n in range(58)]


@pytest.mark.parametrize(
    ("after", "word", "fires"),
    [
        ([3e-3] * 18, _RESUME, True),
        ([3e-3 * n / 8 for n in range(1, 19)], _RESUME, True),  # warmed up past where it was
        ([8e-4 * (1 - n / 60) for n in range(18)], _RESUME, False),  # lower, and it falls on
        ([1e-4 * n for n in range(1, 19)], _RESUME, True),
        ([3e-3] * 18, _SAVED, False),  # a cycle by design
        (DECAY[40:], _RESUME, False),
        ([1e-5] * 18, _RESUME, False),  # a lower rate that was asked for
    ],
)
def test_a_rate_that_leaps_at_the_resume(
    read: Any, after: list[float], word: str, fires: bool
) -> None:
    found = read(_log(DECAY[:40] + after, word)).ask(resumed_rate.PROBE)
    assert ("resume-difference" in found) == fires
    assert ("learning-rate-not-as-set" in found) == fires
    if fires:
        assert found["resume-difference"].value["step"] == 410


@pytest.mark.parametrize(
    ("written", "shape"),
    [("0.000", False), ("0.0000", False), ("0.00e+00", True), ("0.0", True), ("0.00000000", True)],
)
def test_a_rate_of_few_digits_is_not_zero(read: Any, written: str, shape: bool) -> None:
    text = "".join(f"step {n}/200 | loss 2.31 | lr: {written}\n" for n in range(1, 60))
    found = read(text)
    found.look.facts[Curve] = next(iter(curve.run(found.look)))
    assert ("learning-rate-shape" in found.ask(rate.PROBE)) == shape


def test_the_logs_of_thousands_of_ranks_are_not_compared_with_each_other() -> None:
    """Each with each would be millions of comparisons of lists, and longer than a probe may take."""

    def lines(rank: int, first: int, time: float) -> list[StepLine]:
        file = f"rank{rank}-{first}.log"
        return [
            StepLine(n, {"learning_rate": 1e-3}, Source(file, n, rank, time + n))
            for n in range(first, first + 5)
        ]

    steps = [line for rank in range(3000) for line in lines(rank, 1, 0.0)]
    later = lines(7, 6, 100.0)
    begun = process_time()
    pairs = list(resumed_rate.pairs_of_logs(LogHits(steps=(*steps, *later)), "learning_rate"))
    assert process_time() - begun < 3.0
    assert [(a[0].source.file, b[0].source.file) for a, b in pairs] == [
        ("rank7-1.log", "rank7-6.log")
    ]
