"""What a save after every step costs, by the times of the lines around it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from medic.probes.logs import save_every_step


def log(
    save: float, step: float, words: str = "saved checkpoint out/last.pt", each: int = 1
) -> str:
    """Forty steps, every tenth of them logged, with a save behind every ``each``th."""
    lines, at = [], 1_772_000_000.0

    def put(text: str) -> None:
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
        lines.append(f"{stamp},{int(at * 1000) % 1000:03d} [rank0] INFO {text}")

    for n in range(1, 41):
        at += step
        if n == 1 or n % 10 == 0:
            put(f"step {n}/40 loss={3 - n * 0.01:.3f} dt={(save + step) * 1000:.1f}ms")
        if n % each == 0:
            at += save
            put(words)
    return "\n".join(lines) + "\n"


def test_saves_take_longer_than_steps(read: Any) -> None:
    found = read(log(2.7, 0.3)).ask(save_every_step.PROBE)
    assert found["slow-onset"].outcome == "saves-every-step"
    assert found["slow-onset"].value == {"share": "90%", "save": "2.7 s", "step_time": "0.3 s"}
    assert found["training-slow"].outcome == "present"


@pytest.mark.parametrize(
    "text",
    [
        log(0.2, 2.7),  # cheap
        log(0.3, 0.1),  # over in seconds
        log(2.7, 0.3, each=10),
        log(2.7, 0.3, words="saved checkpoint out/last.pt in the background"),
        log(2.7, 0.3, words="downloaded the shard of the next step"),
    ],
)
def test_saves_that_cost_little_or_are_seldom(read: Any, text: str) -> None:
    assert not read(text).ask(save_every_step.PROBE)
