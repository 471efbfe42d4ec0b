"""Rules of a model's config.json, and of TRL's beta."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MODEL: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "vocab_size": 128256,
    "rope_scaling": {"rope_type": "llama3", "factor": 8.0},
}


def test_the_model_as_it_is_published_is_silent(lint_text: Lint) -> None:
    assert lint_text(json.dumps(MODEL, indent=1), "config.json") == ()


@pytest.mark.parametrize(
    ("changed", "cause", "key"),
    [
        ({"vocab_size": -1}, "flag-value-not-accepted", "vocab_size"),
        (
            {"rope_scaling": {"rope_type": "llama-3", "factor": 8.0}},
            "flag-value-not-accepted",
            "rope_type",
        ),
        (
            {"rope_scaling": {"rope_type": "linear", "factor": 0.5}},
            "option-reads-otherwise",
            "factor",
        ),
    ],
)
def test_each_mutation_fires(
    lint_text: Lint, changed: dict[str, Any], cause: str, key: str
) -> None:
    text = json.dumps(MODEL | changed, indent=1)
    line = 1 + next(i for i, one in enumerate(text.splitlines()) if f'"{key}"' in one)
    found = lint_text(text, "config.json")
    assert [(f.name, f.line) for f in found] == [(cause, line)]


@pytest.mark.parametrize(("beta", "told"), [("-0.1", True), ("0.0", False), ("0.1", False)])
def test_a_negative_beta(lint_text: Lint, beta: str, *, told: bool) -> None:
    text = f"per_device_train_batch_size: 2\nlearning_rate: 1.0e-6\nbeta: {beta}\nbf16: true\n"
    found = [(f.name, f.line) for f in lint_text(text, "dpo.yaml")]
    assert found == [("flag-value-not-accepted", 3)] * told
