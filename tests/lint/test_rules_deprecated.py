"""Keys that their framework still takes under an old name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

LintKeys = Callable[..., list[tuple[str, str]]]
AXOLOTL = {
    "base_model": "my/model",
    "sequence_len": "2048",
    "micro_batch_size": "2",
    "gradient_accumulation_steps": "4",
    "gradient_checkpointing": "true",
    "attn_implementation": "flash_attention_2",
    "num_epochs": "1",
    "learning_rate": "0.0001",
    "lr_scheduler": "cosine",
    "warmup_steps": "10",
}
VERL = {
    "data.train_batch_size": "64",
    "actor_rollout_ref.actor.ppo_mini_batch_size": "32",
    "trainer.total_epochs": "1",
    "trainer.save_freq": "10",
}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sequence_parallel_degree", "1"),
        ("evaluation_strategy", "steps"),
        ("noisy_embedding_alpha", "5"),
        ("dpo_beta", "0.1"),
        ("pretrain_multipack_buffer_size", "1000"),
        ("dataset_processes", "8"),
        ("gc_steps", "10"),
    ],
)
def test_old_names_of_axolotl(lint_keys: LintKeys, key: str, value: str) -> None:
    assert ("argument-deprecated", key) in lint_keys({**AXOLOTL, key: value})
    assert "argument-deprecated" not in [name for name, _ in lint_keys(AXOLOTL)]


def test_old_name_of_verl(lint_keys: LintKeys) -> None:
    key = "actor_rollout_ref.actor.optim.warmup_style"
    assert ("argument-deprecated", key) in lint_keys({**VERL, key: "cosine"})
    assert "argument-deprecated" not in [name for name, _ in lint_keys(VERL)]
