"""The share of the time that saving takes, by the times of the step lines."""

from __future__ import annotations

import time
from typing import Any

import pytest
from medic.probes.logs import save_pauses


def log(
    pause: float, words: str = "Saving checkpoint to /job/out/checkpoint-{n}", stamp: bool = True
) -> str:
    """Sixty steps of ten seconds; every tenth is followed by ``words`` and a pause of so many."""
    lines, at = [], 1_772_000_000.0
    for n in range(1, 61):
        at += 10.0
        told = time.strftime("%Y-%m-%d %H:%M:%S ", time.localtime(at)) if stamp else ""
        lines.append(f"{told}INFO step {n}/100 | loss {3 - n * 0.01:.3f}")
        if n % 10 == 0:
            lines.append(told + "INFO " + words.format(n=n))
            at += pause
    return "\n".join(lines) + "\n"


def test_saves_that_take_half_of_the_time(read: Any) -> None:
    found = read(log(120.0)).ask(save_pauses.PROBE)
    assert found["slow-onset"].outcome == "at-intervals"
    assert found["slow-onset"].value["step"] == 11
    assert found["training-slow"].outcome == "present"
    # Five pauses of 120 s between 59 intervals of 10 s.
    assert found["training-slow"].value["share"] == "50%"


@pytest.mark.parametrize(
    "text",
    [
        log(20.0),  # 15%
        log(120.0, stamp=False),
        log(120.0, words="Epoch {n} begins"),
        log(120.0, words="Tokenizing shard {n}"),
    ],
)
def test_what_is_no_costly_save(read: Any, text: str) -> None:
    assert not read(text).ask(save_pauses.PROBE)
