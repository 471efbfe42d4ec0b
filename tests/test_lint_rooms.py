"""Every probe that may report a lint check stands in a room that lint loads."""

from __future__ import annotations

from medic.index.knowledge import load
from medic.runner.registry import ROOMS, all_probes


def test_lint_loads_every_probe_of_its_checks() -> None:
    names = load().lint_names
    everywhere = {p.name for p in all_probes() if set(p.tells) & names}
    assert everywhere <= {p.name for p in all_probes(ROOMS)}


def test_every_lint_check_has_a_probe() -> None:
    told = {t for p in all_probes(ROOMS) for t in p.tells}
    assert load().lint_names <= told
