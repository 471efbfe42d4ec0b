"""Adam's epsilon beside the gradients of a run."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.curve import epsilon

from medic.facts import Curve, Series
from medic.probe import Finding
from medic.run_config import Origin, RunConfig, Value


@pytest.mark.parametrize(
    ("values", "norm", "outcome"),
    [
        # One unit of norm over 25 million parameters: 2e-4 an element.
        ({"adam_epsilon": 0.1, "parameters": 25_000_000}, 2.0, "outweighs"),
        ({"adam_epsilon": 1e-5, "parameters": 7_000_000_000}, 0.5, "small"),
        ({"adam_epsilon": 1e-8, "parameters": 25_000_000}, 1e-3, "small"),
        ({"adam_epsilon": 1e-3, "parameters": 25_000_000}, 200.0, "small"),
        ({"adam_epsilon": 0.1, "num_layers": 8, "hidden_size": 512}, 2.0, "outweighs"),
        ({"adam_epsilon": 0.1}, 2.0, None),
        ({"adam_epsilon": 0.1, "parameters": 25_000_000, "optimizer": "adafactor"}, 2.0, None),
    ],
)
def test_how_far_the_step_is_damped(
    look: Any, values: dict[str, Any], norm: float, outcome: str | None
) -> None:
    given = {"gradient_clip": 100.0, **values}
    config = RunConfig(values={n: Value(v, Origin("given")) for n, v in given.items()})
    steps = tuple(range(10, 110, 10))
    series = Series("grad_norm", "a.log", steps, (norm,) * 10, steps)
    seen = look(facts=[config, Curve({"grad_norm": series})])
    found = [f for f in epsilon.run(seen) if isinstance(f, Finding)]
    assert [f.outcome for f in found] == ([outcome] if outcome else [])
