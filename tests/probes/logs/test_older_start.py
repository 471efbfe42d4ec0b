"""A log that goes on from a checkpoint which is not the last that it tells to have saved."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import older_start


def log(*saved: str, start: str) -> str:
    lines = [
        f"iter {n * 100} loss {4 - n / 10:.3f}\nsaved {name}" for n, name in enumerate(saved, 1)
    ]
    return "\n".join(lines) + f"\nresumed from {start} at iter 800\niter 850 loss 2.2\n"


NAMES = ("out/ckpt-400.pt", "out/ckpt-800.pt", "out/ckpt-1200.pt")


def test_the_last_by_the_text_of_its_name(read: Any) -> None:
    found = read(log(*NAMES, start="out/ckpt-800.pt")).ask(older_start.PROBE)
    assert found["resumed-checkpoint"].outcome == "last-by-name"
    assert found["resumed-checkpoint"].value["lost"] == 400
    assert found["resume-goes-back"].source.text == "resumed from out/ckpt-800.pt at iter 800"


def test_an_older_one_that_no_order_of_names_explains(read: Any) -> None:
    """A person may have gone back to it."""
    found = read(log(*NAMES, start="out/ckpt-400.pt")).ask(older_start.PROBE)
    assert {n: f.outcome for n, f in found.items()} == {"resumed-checkpoint": "older"}


@pytest.mark.parametrize(
    ("saved", "start"),
    [
        (NAMES, "out/ckpt-1200.pt"),
        (("out/ckpt-0400.pt", "out/ckpt-0800.pt"), "out/ckpt-0800.pt"),
        (("out/ckpt-800.pt", "out/epoch-12.pt"), "out/ckpt-800.pt"),  # counted in other numbers
    ],
)
def test_a_start_from_the_last_one(read: Any, saved: tuple[str, ...], start: str) -> None:
    found = read(log(*saved, start=start)).ask(older_start.PROBE)
    assert {n: f.outcome for n, f in found.items()} == {"resumed-checkpoint": "the-last"}


def test_a_start_from_other_weights(read: Any) -> None:
    """Pretrained ones are no checkpoint of this run."""
    assert not read(log(*NAMES, start="base/model-7.pt")).ask(older_start.PROBE)
