"""Rules and batch arithmetic of verl: a clean command is silent, each mutation fires in place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MICRO = "ppo_micro_batch_size_per_gpu=8"
OVERLAP = "rl-batch-does-not-divide"

CLEAN = (
    "python -m verl.trainer.main_ppo \\\n"
    "  algorithm.adv_estimator=grpo \\\n"
    "  data.train_batch_size=256 \\\n"
    "  data.max_prompt_length=1024 data.max_response_length=3072 \\\n"
    "  actor_rollout_ref.model.use_remove_padding=True \\\n"
    "  actor_rollout_ref.actor.optim.lr=1e-6 \\\n"
    "  actor_rollout_ref.actor.ppo_mini_batch_size=64 \\\n"
    "  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 \\\n"
    "  actor_rollout_ref.actor.loss_agg_mode=token-mean \\\n"
    "  actor_rollout_ref.rollout.name=vllm \\\n"
    "  actor_rollout_ref.rollout.tensor_model_parallel_size=2 \\\n"
    "  actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.temperature=1.0 \\\n"
    "  trainer.n_gpus_per_node=8 trainer.nnodes=1 \\\n"
    "  trainer.save_freq=20 trainer.total_epochs=15\n"
)
MUTATIONS = [
    ("train_batch_size=256", "train_batch_size=250", "rollout.n=8", "rollout.n=5", OVERLAP, 3),
    ("ppo_mini_batch_size=64", "ppo_mini_batch_size=512", "", "", OVERLAP, 7),
    (MICRO, "ppo_micro_batch_size_per_gpu=48", "", "", OVERLAP, 8),
    ("mini_batch_size=64", "mini_batch_size=1", "rollout.n=8", "rollout.n=4", OVERLAP, 7),
    ("parallel_size=2", "parallel_size=3", "", "", "rollout-tensor-parallel-wrong", 11),
    (
        "parallel_size=2",
        "parallel_size=2 actor_rollout_ref.rollout.expert_parallel_size=4",
        "",
        "",
        "rollout-tensor-parallel-wrong",
        11,
    ),
    ("save_freq=20", "save_freq=-1", "", "", "checkpoints-never-saved", 14),
    (
        MICRO,
        f"{MICRO} actor_rollout_ref.actor.ppo_micro_batch_size=64",
        "",
        "",
        "rl-batch-keys-conflict",
        8,
    ),
    (
        "use_remove_padding=True",
        "use_remove_padding=False",
        MICRO,
        f"{MICRO} actor_rollout_ref.actor.ulysses_sequence_parallel_size=2",
        "option-needs-another-option",
        8,
    ),
    ("=token-mean", "=token-average", "", "", "flag-value-not-accepted", 9),
    (
        "temperature=1.0",
        "temperature=0 actor_rollout_ref.rollout.val_kwargs.do_sample=True",
        "",
        "",
        "flag-value-not-accepted",
        12,
    ),
    ("rollout.n=8", "rollout.n=1", "", "", "option-reads-otherwise", 2),
    (
        "actor.loss_agg_mode=token-mean",
        "actor.strategy=megatron "
        "actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=1 "
        "actor_rollout_ref.actor.megatron.virtual_pipeline_model_parallel_size=2",
        "",
        "",
        "option-needs-another-option",
        9,
    ),
]
DYNAMIC = CLEAN.replace(
    MICRO, "use_dynamic_bsz=True actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192"
)
SFT = (
    "torchrun --nproc_per_node 8 -m verl.trainer.fsdp_sft_trainer \\\n"
    "  data.train_batch_size=64 data.micro_batch_size_per_gpu=4 \\\n"
    "  data.max_length=2048 optim.lr=1e-5 model.partial_pretrain=Qwen/Qwen2.5-0.5B \\\n"
    "  use_remove_padding=True ulysses_sequence_parallel_size=2 trainer.save_freq=-1\n"
)


def test_the_clean_command_is_silent(lint_text: Lint) -> None:
    assert lint_text(CLEAN, "launch.sh") == ()


@pytest.mark.parametrize(("old", "new", "also", "then", "cause", "line"), MUTATIONS)
def test_each_mutation_fires(
    lint_text: Lint, old: str, new: str, also: str, then: str, cause: str, line: int
) -> None:
    assert old in CLEAN
    assert also in CLEAN
    text = CLEAN.replace(old, new)
    text = text.replace(also, then) if also else text
    found = lint_text(text, "launch.sh")
    assert [(f.name, f.line) for f in found] == [(cause, line)]


def test_a_sequence_has_to_fit_the_token_budget(lint_text: Lint) -> None:
    assert lint_text(DYNAMIC, "launch.sh") == ()
    found = lint_text(DYNAMIC.replace("gpu=8192", "gpu=3000"), "launch.sh")
    assert [(f.name, f.line) for f in found] == [("rl-token-budget-too-small", 8)]
    sharded = DYNAMIC.replace(
        "gpu=8192", "gpu=3000 actor_rollout_ref.actor.ulysses_sequence_parallel_size=2"
    )
    assert lint_text(sharded, "launch.sh") == ()


def test_the_budget_has_a_default(lint_text: Lint) -> None:
    text = DYNAMIC.replace(" actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192", "")
    assert lint_text(text, "launch.sh") == ()
    found = lint_text(text.replace("response_length=3072", "response_length=16384"), "launch.sh")
    assert [(f.name, f.line) for f in found] == [("rl-token-budget-too-small", 4)]


NEVER = (
    "actor_rollout_ref:\n  actor:\n    _target_: verl.workers.config.FSDPActorConfig\n"
    "    ppo_mini_batch_size: 64\ntrainer:\n  save_freq: -1\n  total_epochs: 1\n"
)
MANY = "my_block:\n" + "".join(f"  key_{n}: {n}\n" for n in range(160))


@pytest.mark.parametrize(
    ("text", "file", "told"),
    [
        (NEVER, "a.yaml", True),
        (NEVER + MANY, ".hydra/config.yaml", True),  # what the run was given, every key of it
        ("defaults:\n  - actor@actor_rollout_ref.actor: dp_actor\n  - _self_\n" + NEVER, "a.yaml", False),
        (NEVER + MANY, "verl/trainer/config/_generated_ppo_trainer.yaml", False),
    ],
    ids=["run", "resolved", "composes", "brought"],
)  # fmt: skip
def test_a_base_is_not_the_run(
    lint_text: Lint, tmp_path: Path, text: str, file: str, told: bool
) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    found = [f.name for f in lint_text(text, file)]
    assert ("checkpoints-never-saved" in found) is told


@pytest.mark.parametrize(("interval", "severity"), [("-1", "info"), ("0", "warning")])
def test_never_is_a_word_of_verl(lint_text: Lint, interval: str, severity: str) -> None:
    found = lint_text(CLEAN.replace("save_freq=20", f"save_freq={interval}"), "run.sh")
    told = [f.severity for f in found if f.name == "checkpoints-never-saved"]
    assert told == [severity]


def test_a_full_response_has_to_fit_the_context(lint_text: Lint) -> None:
    name = "actor_rollout_ref.rollout.max_model_len"
    text = CLEAN.replace(MICRO, f"{MICRO} {name}=4096")
    assert lint_text(text, "launch.sh") == ()
    found = lint_text(text.replace(f"{name}=4096", f"{name}=2048"), "launch.sh")
    assert [f.name for f in found] == ["completions-cut-at-limit"]


def test_dynamic_batches_need_not_divide(lint_text: Lint) -> None:
    text = DYNAMIC.replace("train_batch_size=256", "train_batch_size=60")
    assert "rl-batch-does-not-divide" not in [f.name for f in lint_text(text, "launch.sh")]


def test_another_trainer_counts_its_groups_itself(lint_text: Lint) -> None:
    text = CLEAN.replace("train_batch_size=256", "train_batch_size=16").replace(
        "actor_rollout_ref.rollout.n=8", "+env.rollout.n=8"
    )
    assert lint_text(text, "launch.sh") == ()


def test_supervised_training_saves_its_last_step(lint_text: Lint) -> None:
    assert lint_text(SFT, "launch.sh") == ()


@pytest.mark.parametrize(
    ("old", "new", "cause", "line"),
    [
        ("train_batch_size=64", "train_batch_size=60", "batch-not-divisible", 2),
        ("padding=True", "padding=False", "option-needs-another-option", 4),
        ("optim.lr=1e-5", "optim.lr_scheduler=exp", "flag-value-not-accepted", 3),
        ("optim.lr=1e-5", "optim.lr_scheduler=COSINE", "flag-value-not-accepted", 3),
    ],
)
def test_each_mutation_of_supervised_training(
    lint_text: Lint, old: str, new: str, cause: str, line: int
) -> None:
    found = lint_text(SFT.replace(old, new), "launch.sh")
    assert [(f.name, f.line) for f in found] == [(cause, line)]
