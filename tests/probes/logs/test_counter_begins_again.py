"""A run that goes on from its checkpoint and counts its steps from 1 again."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.curve import curve, resume, resume_point

from medic.facts import Curve

_ROW = "2026-01-02 10:{m:02d}:{s:02d},001 [rank0] INFO train: step {n} | loss {l:.4f} | lr {r:.3e}"
_RESUMED = (
    "2026-01-02 10:40:00,001 [rank0] INFO train: resumed weights and optimizer from out/step150.pt"
)
WARM = [1e-4 * n for n in range(1, 11)]
FALLS = [1e-3 * (1 - n / 40) for n in range(36)]


def log(first: list[float], later: list[float], rates: list[float], word: str = _RESUMED) -> str:
    rows = [
        (n, loss, rate) for n, (loss, rate) in enumerate(zip(first, WARM + FALLS, strict=False))
    ]
    again = [(n, loss, rate) for n, (loss, rate) in enumerate(zip(later, rates, strict=False))]
    lines = [_ROW.format(m=n, s=0, n=3 * n + 1, l=loss, r=rate) for n, loss, rate in rows]
    lines += [word] + [
        _ROW.format(m=45, s=n, n=3 * n + 1, l=loss, r=rate) for n, loss, rate in again
    ]
    return "\n".join(lines) + "\n"


DOWN = [8.3 - 0.1 * n for n in range(40)]
ON = [4.4 - 0.01 * n for n in range(20)]


@pytest.mark.parametrize(
    ("later", "rates", "anew"),
    [(ON, WARM + FALLS, True), (ON, [FALLS[-1]] * 20, False)],
)
def test_its_losses_are_compared_with_the_last_ones(
    read: Any, later: list[float], rates: list[float], anew: bool
) -> None:
    found = read(log(DOWN, later, rates))
    found.look.facts[Curve] = next(iter(curve.run(found.look)))
    assert "resume-jumps" not in found.ask(resume.PROBE) or (
        found.ask(resume.PROBE)["resume-jumps"].outcome == "absent"
    )
    told = found.ask(resume_point.PROBE)
    assert ("rate-after-resume" in told) == anew
    if anew:
        assert told["learning-rate-not-as-set"].value["after"] != pytest.approx(FALLS[29])


def test_the_break_is_told_by_the_rows_beside_it(read: Any) -> None:
    text = log(
        [8.3, 8.0, 6.0, *(4.5 - 0.01 * n for n in range(40))], [8.2, 8.1, 7.9, 7.5], [1e-3] * 4
    )
    later = text.replace("step 1 | loss 8.2", "step 121 | loss 8.2")
    later = later.replace("step 4 | loss 8.1", "step 122 | loss 8.1")
    later = later.replace("step 7 | loss 7.9", "step 123 | loss 7.9")
    found = read(later.replace("step 10 | loss 7.5", "step 124 | loss 7.5"))
    found.look.facts[Curve] = next(iter(curve.run(found.look)))
    value = found.ask(resume_point.PROBE)["resume-jumps"].value
    assert (value["before_step"], value["after_step"]) == (118, 121)
