"""A log and a config that name two learning rates, where the answer rests on one."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session
from medic.session.unlike import TOLD, rate_set_otherwise

INDEX = load()


def log(peak: float) -> str:
    """A run that breaks at step 200 of 400, at the peak of its rate."""
    return "".join(
        f"{{'loss': {10.8 - 8 * min(1, n / 150) + n % 7 / 40 if n < 200 else 7 + n % 7 / 8:.4f}, "
        f"'grad_norm': {1 + n % 5 / 9:.3f}, 'learning_rate': {peak * min(1, n / 40):.3e}, "
        f"'epoch': {n / 1000:.3f}}}\n"
        for n in range(1, 400)
    )


@pytest.mark.parametrize(
    ("logged", "written", "told"),
    [
        (2e-3, "learning_rate: 3.0e-4", True),
        (2e-3, "lr: 1.0e-3", True),
        (2e-3, "learning_rate: 2.0e-3", False),
        (2e-3, "learning_rate: 4.0e-3", False),  # of a warmup that is not over
        (2e-3, "warmup_steps: 40", False),
    ],
)
def test_two_rates_are_told_once_with_both_places(
    tmp_path: Path, logged: float, written: str, told: bool
) -> None:
    (tmp_path / "train.log").write_text(log(logged), "utf-8")
    (tmp_path / "config.yaml").write_text(f"{written}\nbf16: true\nmax_steps: 1000\n", "utf-8")
    session = Session(INDEX, collect([str(tmp_path)]))
    session.look()
    found = session.diagnosis()
    said = rate_set_otherwise(session, found)
    assert found.causes[0].name == "learning-rate-too-high"
    assert (said is not None) is told
    seen = (one.finding for one in session.evidence.observed if one.name == TOLD)
    assert any(one.value.get("above") for one in seen) is told
    if said is not None:
        assert "up to 0.002 [" in said.en
        assert "train.log:40]" in said.en
        assert "config.yaml:1]" in said.zh
