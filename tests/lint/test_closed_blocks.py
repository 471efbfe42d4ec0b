"""Keys of blocks that go to one function as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME, NEEDS = "misspelt-config-key", "option-needs-another-option"
HF = (
    "model_name_or_path: gpt2\nper_device_train_batch_size: 1\noutput_dir: o\n"
    "learning_rate: 1.0e-4\nnum_train_epochs: 1\ngradient_checkpointing: true\n{more}\n"
)
ADAM = {"type": "AdamW", "params": {"lr": 1e-4, "betas": [0.9, 0.95], "eps": "auto"}}


def _told(found: tuple[LintFinding, ...]) -> list[str]:
    return [f.message.en for f in found if f.name == NAME]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("gradient_checkpointing_kwargs: {use_reentrent: false}", "use_reentrant is meant"),
        ("gradient_checkpointing_kwargs: {reentrant: false}", "takes no reentrant"),
        ("accelerator_config: {split_batch: true}", "split_batches is meant"),
        (
            "lr_scheduler_type: cosine\nlr_scheduler_kwargs: {min_lr: 1.0e-5}",
            "cosine has no min_lr",
        ),
        (
            "lr_scheduler_type: cosine_with_restarts\nlr_scheduler_kwargs: {num_cycle: 2}",
            "num_cycles is meant",
        ),
        ("fsdp: full_shard\nfsdp_config: {backward_prefech: backward_pre}", "backward_prefetch is"),
        (
            "fsdp: full_shard\nfsdp_config: {fsdp_use_orig_parms: true}",
            "fsdp_use_orig_params is meant",
        ),
    ],
)
def test_a_key_that_the_function_does_not_take(lint_text: Lint, more: str, said: str) -> None:
    (found,) = _told(lint_text(HF.format(more=more)))
    assert said in found


@pytest.mark.parametrize(
    "more",
    [
        "gradient_checkpointing_kwargs: {use_reentrant: false}",
        "gradient_checkpointing_kwargs:",
        "accelerator_config: {split_batches: true, dispatch_batches: null}",
        "lr_scheduler_type: cosine_with_min_lr\nlr_scheduler_kwargs: {min_lr: 1.0e-5}",
        "lr_scheduler_type: reduce_lr_on_plateau\nlr_scheduler_kwargs: {factor: 0.5}",
        "lr_scheduler_kwargs: {min_lr: 1.0e-5}",  # of which schedule is not said
        "fsdp: full_shard\nfsdp_config: {some_key_of_later: true, fsdp_version: 2}",
        "model_init_kwargs: {anything: 1}",
    ],
)
def test_a_key_that_it_takes(lint_text: Lint, more: str) -> None:
    assert _told(lint_text(HF.format(more=more))) == []


@pytest.mark.parametrize(
    ("key", "told"), [("use_reentrent", True), ("use_reentrant", False), ("{", False)]
)
def test_a_flag_holds_the_block_as_json(lint_text: Lint, key: str, told: bool) -> None:
    held = f'{{"{key}": false}}' if key != "{" else "{"
    command = (
        "swift sft --model Qwen/Qwen2.5-7B-Instruct --dataset a.jsonl"
        f" --gradient_checkpointing_kwargs '{held}'\n"
    )
    assert bool(_told(lint_text(command, "run.sh"))) == told


def _deepspeed(kind: str, optimizer: dict[str, Any] = ADAM, **params: object) -> str:
    """A DeepSpeed configuration with this scheduler."""
    return json.dumps(
        {
            "train_micro_batch_size_per_gpu": 1,
            "bf16": {"enabled": True},
            "zero_optimization": {"stage": 2},
            "optimizer": optimizer,
            "scheduler": {"type": kind, "params": params},
        },
        indent=1,
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (_deepspeed("WarmupLR", warmup_num_steps=10), []),
        (_deepspeed("WarmupLR", warmup_num_steps=10, total_num_steps=100), [NAME]),
        (_deepspeed("WarmupDecayLR", warmup_num_steps=10, total_num_steps="auto"), []),
        (_deepspeed("WarmupDecayLR", warmup_num_steps=10), [NEEDS]),
        (_deepspeed("WarmupCosineLR", warmup_num_steps=10, total_num_steps=100), []),
        (_deepspeed("WarmupCosineLR", warmup_max_lr=1e-4, total_num_steps=100), [NAME]),
        (_deepspeed("WarmupLR", {"type": "AdamW", "params": {"lr": 1e-4, "beta1": 0.9}}), [NAME]),
        (_deepspeed("WarmupLR", {"type": "Adam", "params": {"lr": 1e-4, "epsilon": 1}}), [NAME]),
        (
            _deepspeed("WarmupLR", {"type": "OneBitAdam", "params": {"lr": 1, "freeze_step": 9}}),
            [],
        ),
    ],
)
def test_schedulers_and_optimizers_of_deepspeed(
    lint_text: Lint, text: str, told: list[str]
) -> None:
    found = lint_text(text, "ds_config.json")
    assert [f.name for f in found if f.name in (NAME, NEEDS)] == told


def test_two_long_words_in_another_order(lint_text: Lint) -> None:
    command = (
        "python3 -m verl.trainer.main_ppo data.train_files=a data.max_prompt_length=512"
        " data.max_response_length=512 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B"
        " actor_rollout_ref.actor.fsdp_config.{key}=True trainer.n_gpus_per_node=8\n"
    )
    assert _told(lint_text(command.format(key="offload_param"), "run.sh"))
    assert not _told(lint_text(command.format(key="param_offload"), "run.sh"))
