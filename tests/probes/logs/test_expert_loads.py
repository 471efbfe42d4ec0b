"""The load of each expert, printed as a list."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import expert_loads

from medic.facts import Hit, LogHits, Source
from medic.probe import Finding


@pytest.mark.parametrize(
    ("line", "last_step", "ratio"),
    [
        ("tokens_per_expert (layer 9): [40112, 33, 7, 0, 52, 19, 4, 21]", 900, "7.97"),
        ("layer 3 expert load: [0.52, 0.01, 0.22, 0.25]", 900, "2.08"),
        ("expert loads tensor([1e3, 1.1e3, 9e2, 1.05e3])", 900, None),
        ("tokens_per_expert: [40112, 33, 7, 0, 52]", 20, None),  # early
        ("tokens per expert: [4, 3]", 900, None),
    ],
)
def test_loads(look: Any, line: str, last_step: int, ratio: str | None) -> None:
    mark = Hit("expert-loads", "", "context", Source("a.log", 7, text=line), {}, (0.0, 0, 7))
    seen = look(facts=[LogHits(marks=(mark,), last_step=last_step)])
    found = [f for f in expert_loads.run(seen) if isinstance(f, Finding)]
    assert [f.value["ratio"] for f in found] == ([ratio] if ratio else [])
