"""Experts that all together have less room than there are tokens."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "capacity-drops-tokens"
MODEL = "model:\n  num_experts: 8\n  top_k: 2\n  capacity_factor: {factor}\n"
MEGATRON = (
    "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 "
    "--num-experts 8 --moe-router-topk 2 --moe-expert-capacity-factor {factor} --seq-length 1024 "
    "--max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 --lr 1e-4\n"
)


def told(lint_text: Lint, text: str, name: str) -> list[str]:
    return [f.message.en for f in lint_text(text, name) if f.name == NAME]


def test_a_quarter_of_the_tokens_have_room(lint_text: Lint) -> None:
    found = told(lint_text, MODEL.format(factor=0.25), "moe.yaml")
    assert len(found) == 1
    assert "at least 75% are dropped" in found[0]
    assert told(lint_text, MEGATRON.format(factor=0.5), "launch.sh")
    assert told(
        lint_text,
        MODEL.replace("capacity_factor", "expert_capacity_factor").format(factor=0.8),
        "m.yaml",
    )


@pytest.mark.parametrize(
    "text",
    [
        MODEL.format(factor=1.0),
        MODEL.format(factor=1.25),
        MODEL.format(factor=-1),
        MODEL.format(factor="null"),
        MODEL.format(factor=0.5) + "  router_type: expert_choice\n",
        MODEL.format(factor=0.5) + "  drop_tokens: false\n",
        "cache:\n  capacity_factor: 0.5\n",
        "model:\n  num_experts: 8\n  eval_capacity_factor: 0.5\n",
    ],
)
def test_room_for_all_or_no_mixture(lint_text: Lint, text: str) -> None:
    assert not told(lint_text, text, "moe.yaml")
