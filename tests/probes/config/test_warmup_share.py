"""A warmup is long by its steps, too: of a short run a few are a large share."""

from __future__ import annotations

import pytest
from medic.probes.config.checks import warmup_share_unusual

from medic.probe import Fires
from medic.run_config import Origin, RunConfig, Value


@pytest.mark.parametrize(
    ("stated", "fires"),
    [
        ({"warmup_steps": 20, "total_steps": 150}, False),
        ({"warmup_steps": 20, "total_steps": 150, "adam_beta2": 0.95}, False),
        ({"warmup_steps": 60, "total_steps": 400, "adam_beta2": 0.95}, True),  # 40 are enough
        ({"warmup_steps": 80, "total_steps": 150}, True),  # more than half of it
        ({"warmup_steps": 20_000, "total_steps": 100_000}, True),
    ],
)
def test_a_few_steps_of_warmup_are_no_long_one(stated: dict[str, float], fires: bool) -> None:
    config = RunConfig({k: Value(v, Origin("file", key=k)) for k, v in stated.items()})
    assert isinstance(warmup_share_unusual.check(config), Fires) is fires
