"""verl's actor: the tokens of its micro batches, and the bytes of its logits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sized = Callable[..., dict[str, Any]]
RECIPE = """python3 -m verl.trainer.main_ppo data.max_prompt_length=512 data.max_response_length=1024 \\
 actor_rollout_ref.model.path=Qwen/Qwen2-7B-Instruct trainer.n_gpus_per_node=8 trainer.nnodes=1 \\
 actor_rollout_ref.model.enable_gradient_checkpointing=True {more}
"""
VOCAB = 152064
PACKED = "actor_rollout_ref.model.use_remove_padding=True"
MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=40"


@pytest.fixture
def phases(sized: Sized, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def told(*more: str) -> dict[str, Any]:
        words = " ".join(
            f"actor_rollout_ref.{w}" if not w.startswith("actor_rollout") else w for w in more
        )
        (tmp_path / "run.sh").write_text(RECIPE.format(more=words))
        return sized(str(tmp_path / "run.sh"), "--gpu=80GB")

    return told


def logits(found: dict[str, Any]) -> int:
    """Bytes of a logit of 40 sequences of 1,536 tokens in the peak of the loss."""
    count: int = found["parts"].get("logits", 0) / (40 * 1536 * VOCAB)
    return count


def test_logits_of_packed_tokens_are_16_bits_and_their_gradient_takes_their_place(
    phases: Callable[..., dict[str, Any]],
) -> None:
    lean = phases(PACKED, MICRO, "actor.entropy_coeff=0")
    assert lean["peak"]["estimate"] < 90 * 2**30
    assert "reference model" not in lean["parts"]
    wide = phases(PACKED, MICRO, "actor.entropy_coeff=0.001")
    assert round(logits(wide)) == 6
    assert wide["peak"]["estimate"] > lean["peak"]["estimate"] + 40 * 2**30
    padded = phases(PACKED.replace("True", "False"), MICRO, "actor.entropy_coeff=0")
    assert round(logits(padded)) == 6
    assert lean["peak"]["low"] <= lean["peak"]["estimate"]


def test_a_batch_that_is_filled_by_tokens_has_as_many_as_told(
    phases: Callable[..., dict[str, Any]],
) -> None:
    filled = "actor.use_dynamic_bsz=True"
    told = [phases(PACKED, filled, f"actor.ppo_max_token_len_per_gpu={n}") for n in (8192, 16384)]
    assert told[0]["peak"]["estimate"] < told[1]["peak"]["estimate"]
    usual = phases(PACKED, filled)  # verl's default is 16,384 tokens
    assert usual["peak"]["estimate"] == told[1]["peak"]["estimate"]
    beside = phases(PACKED, filled, MICRO)  # which dynamic batches do not read
    assert beside["peak"]["estimate"] == usual["peak"]["estimate"]
    shared = phases(PACKED, filled, "actor.ulysses_sequence_parallel_size=2")
    assert "sequence_length" not in shared["unknown"]


def test_fused_kernels_make_no_logits(phases: Callable[..., dict[str, Any]]) -> None:
    fused = phases(PACKED, MICRO, "model.use_fused_kernels=True")
    assert logits(fused) == 0
    assert fused["peak"]["estimate"] < phases(PACKED, MICRO)["peak"]["estimate"]
