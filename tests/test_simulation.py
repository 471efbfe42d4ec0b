"""The engine on the real graph, over synthetic cases with a fixed seed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from medic.index.knowledge import load

_spec = importlib.util.spec_from_file_location(
    "simulation", Path(__file__).with_name("simulation.py")
)
assert _spec is not None
assert _spec.loader is not None
simulation = importlib.util.module_from_spec(_spec)
sys.modules["simulation"] = simulation
_spec.loader.exec_module(simulation)


def test_the_cause_is_named_and_established_is_seldom_wrong() -> None:
    tally = simulation.run(load(), 1000, seed=11)  # of 500 two and a half in a hundred are noise
    assert tally.share(tally.established, tally.cases) >= 0.15
    assert tally.share(tally.established_wrong, tally.established) <= 0.03
    assert tally.share(tally.top1, tally.known) >= 0.52
    assert tally.share(tally.top3, tally.known) >= 0.66


def test_a_description_helps_though_the_levels_are_off() -> None:
    index = load()
    tally = simulation.run(index, 250, 13, simulation.Words(index), levels_off=0.2)
    assert tally.share(tally.top1, tally.known) >= 0.70
    assert tally.share(tally.top3, tally.known) >= 0.82
    assert tally.share(tally.established_wrong, tally.established) <= 0.03
