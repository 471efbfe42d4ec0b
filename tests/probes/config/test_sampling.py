"""How completions are sampled, as the settings state it."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.config import sampling

from medic.run_config import Origin, RunConfig, Setting


@pytest.mark.parametrize(
    ("framework", "settings", "outcomes"),
    [
        ("verl", {"actor_rollout_ref.rollout.temperature": 1.0}, ["full"]),
        ("verl", {"actor_rollout_ref.rollout.temperature": 0.1}, []),
        ("trl", {"temperature": 0.9, "top_p": 1.0, "top_k": 0}, ["full"]),
        ("trl", {"temperature": 0.9, "top_p": 0.9}, []),
        ("verl", {"rollout.temperature": 1.0, "rollout.top_k": 50}, []),
        ("verl", {"rollout.temperature": 1.0, "rollout.top_k": -1}, ["full"]),
        ("verl", {"rollout.temperature": "oc.env"}, []),
        ("hf-trainer", {"temperature": 1.0}, []),  # of distillation, maybe
        ("verl", {"rollout.val_kwargs.temperature": 1.0}, []),
    ],
)
def test_what_the_settings_say(
    look: Any, framework: str, settings: dict[str, Any], outcomes: list[str]
) -> None:
    made = [Setting(tuple(k.split(".")), v, Origin("file")) for k, v in settings.items()]
    config = RunConfig(framework=framework, settings=tuple(made))
    assert [f.outcome for f in sampling.run(look(facts=[config]))] == outcomes
