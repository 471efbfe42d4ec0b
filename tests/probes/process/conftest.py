"""Recorded looks and dumps written by hand, read by the probes through the whole runner."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.runner.evidence import Evidence
from medic.runner.registry import all_probes
from medic.runner.run import observe

DATA = Path(__file__).with_name("data")
Told = dict[str, str]


def observed(*paths: Path) -> Evidence:
    rooms = ("process", "recorder", "logs", "checkpoint")
    return observe(collect([str(p) for p in paths]), load(), list(all_probes(rooms)))


@pytest.fixture
def told() -> Callable[..., Told]:
    """Outcomes by name of what the stacks probe tells of these files of ``data``, or of paths."""

    def run(*names: str | Path) -> Told:
        evidence = observed(*(n if isinstance(n, Path) else DATA / n for n in names))
        rows = [o for o in evidence.observed if o.probe == "stack-places"]
        return {o.name: o.outcome for o in rows}

    return run
