"""A gradient norm that leaps at a start from a checkpoint and settles with the loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.curve import curve, resume_point

from medic.facts import Curve

Norm = Callable[[int], float]


def row(step: int, loss: float, norm: float) -> str:
    noise = 0.002 * (step // 10 % 5)
    return f"step: {step} loss: {loss + noise:.4f} lr: 3.0000e-04 grad_norm: {norm + noise:.3f}"


def told(read: Any, norm: Norm, *, jump: float = 0.4, rows: int = 60) -> dict[str, str]:
    before = [row(s, 2.0, 0.3) for s in range(10, 1210, 10)]
    after = [
        row(1200 + s, 2.0 + jump * math.exp(-s / 150), norm(s))
        for s in range(10, 10 * rows + 10, 10)
    ]
    found = read("\n".join([*before, "Resuming from checkpoint out/step_1200", *after]) + "\n")
    made = [m for m in curve.PROBE.run(found.look) if isinstance(m, Curve)]
    found.look.facts.update({Curve: made[0]} if made else {})
    return {name: f.outcome for name, f in found.ask(resume_point.PROBE).items()}


def settles(step: int) -> float:
    return 0.3 + 2.1 * math.exp(-step / 60)


@pytest.mark.parametrize(
    ("norm", "outcome"),
    [
        (settles, "leaps-and-settles"),
        (lambda step: 0.31, "usual"),
        (lambda step: 1.5, None),  # it stays: other data, another batch
    ],
)
def test_what_the_norm_does(read: Any, norm: Norm, outcome: str | None) -> None:
    found = told(read, norm)
    assert found["resume-difference"] == "higher-then-recovers"
    assert found.get("norm-after-resume") == outcome


def test_what_is_not_asked(read: Any) -> None:
    assert "norm-after-resume" not in told(read, settles, jump=0.0)
    assert "norm-after-resume" not in told(read, settles, rows=12)  # it ends too soon
