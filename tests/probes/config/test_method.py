"""Whether a run trains on given texts, as its settings say."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.config import method

from medic.run_config import Origin, RunConfig, Setting


@pytest.mark.parametrize(
    ("framework", "settings", "supervised"),
    [
        ("megatron", {}, True),
        ("megatron", {"perform_rl_step": True}, False),
        ("axolotl", {"rl": "grpo"}, False),
        ("axolotl", {}, True),
        ("llama-factory", {"stage": "sft"}, True),
        ("llama-factory", {"stage": "ppo"}, False),
        ("ms-swift", {"rlhf_type": "dpo"}, True),
        ("ms-swift", {"rlhf_type": "grpo"}, False),
        ("hf-trainer", {"stage": "sft"}, False),
        ("verl", {}, False),
        ("", {}, False),
    ],
)
def test_what_is_known(
    look: Any, framework: str, settings: dict[str, Any], supervised: bool
) -> None:
    made = tuple(Setting((k,), v, Origin("file")) for k, v in settings.items())
    config = RunConfig(framework=framework, settings=made)
    found = [f.outcome for f in method.run(look(facts=[config]))]
    assert found == (["supervised"] if supervised else [])
