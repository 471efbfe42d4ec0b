"""Frameworks told apart from those whose names they share, and what is theirs in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
VALUE, DIVIDE = "flag-value-not-accepted", "rl-batch-does-not-divide"


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, int, str]]:
    return [(f.name, f.line, f.severity) for f in found if f.severity != "info"]


FOUNDRY = """\
max_seq_len: 2048
global_seed: 17
model: {name: mpt_causal_lm, d_model: 2048, n_heads: 16, n_layers: 24, vocab_size: 50368}
train_loader: {name: text, drop_last: true, num_workers: 8}
scheduler: {name: cosine_with_warmup, t_warmup: 100ba, alpha_f: 0.1}
optimizer: {name: decoupled_adamw, lr: 3.0e-4, eps: 1.0e-8, weight_decay: 0.0}
max_duration: 4800ba
eval_interval: 1000ba
global_train_batch_size: 256
device_train_microbatch_size: auto
precision: amp_bf16
"""
SKYRL = (
    "uv run --isolated --extra vllm -- python -m skyrl_train.entrypoints.main_base "
    "trainer.algorithm.advantage_estimator=grpo trainer.train_batch_size=64 "
    "trainer.policy_mini_batch_size=32 trainer.placement.policy_num_gpus_per_node=4 "
    "trainer.policy.optimizer_config.lr=1.0e-6 generator.n_samples_per_prompt=4\n"
)
PRIME = """\
max_steps = 20
seq_len = 2048

[orchestrator]
batch_size = 128
group_size = 16

[trainer.optim]
lr = 3e-6

[inference]
"""
ROLL = """\
defaults: [../config/deepspeed_zero@_here_]
logging_dir: ./output/logs
max_steps: 500
sequence_length: 512
num_gpus_per_node: 4
pretrain: Qwen/Qwen3-4B
actor_train:
  model_args: {dtype: bf16}
  training_args:
    learning_rate: 1.0e-6
    per_device_train_batch_size: 16
    num_train_epochs: 10
  strategy_args:
    strategy_name: megatron_train
    strategy_config: {tensor_model_parallel_size: 2}
  device_mapping: list(range(0,2))
"""
FAIRSEQ = (
    "fairseq-train data-bin/a --task translation --arch transformer --optimizer adam "
    "--lr 1e-4 --lr-scheduler inverse_sqrt --criterion cross_entropy --max-tokens 4096\n"
)
EASY = """\
data: {rollout_batch_size: 512}
algorithm: {adv_estimator: grpo}
worker:
  actor: {global_batch_size: 128}
  rollout: {n: 5, tensor_parallel_size: 2}
trainer: {nnodes: 1, n_gpus_per_node: 8}
"""
AXOLOTL = """\
base_model: some/model
datasets: [{path: a.jsonl, type: alpaca}]
sequence_len: 2048
micro_batch_size: 1
gradient_accumulation_steps: 8
num_epochs: 1
learning_rate: 1.0e-5
bf16: true
output_dir: out
fsdp: [full_shard, auto_wrap]
fsdp_config: {fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP}
trl: {vllm_mode: colocate}
"""


@pytest.mark.parametrize(
    ("text", "name", "framework"),
    [
        (FOUNDRY, "a.yaml", "llm-foundry"),
        (SKYRL, "a.sh", "skyrl"),
        (SKYRL.replace("-- python -m", "-m"), "a.sh", "skyrl"),
        (PRIME, "a.toml", "prime-rl"),
        (ROLL, "a.yaml", "roll"),
        (FAIRSEQ, "a.sh", "fairseq"),
        (EASY, "a.yaml", "easyr1"),
    ],
)
def test_whose_each_is(
    lint_text: Lint, tmp_path: Path, text: str, name: str, framework: str
) -> None:
    assert lint_text(text, name) == ()
    report = lint(collect([str(tmp_path / name)]), load())
    assert report.run_config.framework == framework


@pytest.mark.parametrize(
    ("text", "name", "old", "new", "told"),
    [
        (FOUNDRY, "a.yaml", "amp_bf16", "amp_bfloat16", (VALUE, 11)),
        (SKYRL, "a.sh", "=grpo", "=grpoo", (VALUE, 1)),
        (SKYRL, "a.sh", "train_batch_size=64", "train_batch_size=48", (DIVIDE, 1)),
        (SKYRL, "a.sh", "mini_batch_size=32", "mini_batch_size=128", (DIVIDE, 1)),
        (PRIME, "a.toml", "group_size = 16", "group_size = 15", (DIVIDE, 6)),
        (PRIME, "a.toml", "group_size = 16", "rollouts_per_example = 12", (DIVIDE, 6)),
        (EASY, "a.yaml", "global_batch_size: 128", "global_batch_size: 1024", (DIVIDE, 4)),
        (EASY, "a.yaml", "n: 5", "n: 1", (VALUE, 2)),
        (EASY, "a.yaml", "size: 2", "size: 3", ("rollout-tensor-parallel-wrong", 5)),
        (AXOLOTL, "a.yaml", "colocate", "colocated", (VALUE, 12)),
        (FAIRSEQ, "a.sh", "--max-tokens", "--best-checkpoint-metric belu --max-tokens", (VALUE, 1)),
    ],
)
def test_what_each_refuses(
    lint_text: Lint, text: str, name: str, old: str, new: str, told: tuple[str, int]
) -> None:
    assert old in text
    assert _told(lint_text(text.replace(old, new), name)) == [(*told, "error")]


@pytest.mark.parametrize(
    ("text", "name", "old", "new"),
    [
        (SKYRL, "a.sh", "=grpo", "=my_own_estimator"),  # a registry takes further ones
        (PRIME, "a.toml", "batch_size = 128", "token_batch_size = 100"),
        (EASY, "a.yaml", "grpo", "gae"),
        (AXOLOTL, "a.yaml", "TRANSFORMER_BASED_WRAP", "NO_WRAP"),
        (AXOLOTL, "a.yaml", "colocate", "server"),
        (FAIRSEQ, "a.sh", "--max-tokens", "--best-checkpoint-metric chrf --max-tokens"),
        (FOUNDRY, "a.yaml", "amp_bf16", "${variables.precision}"),
    ],
)
def test_what_each_takes(lint_text: Lint, text: str, name: str, old: str, new: str) -> None:
    assert _told(lint_text(text.replace(old, new), name)) == []


NANOTRON = """\
optimizer:
  optimizer_factory: {name: adamW, adam_beta1: 0.9, adam_beta2: 0.95, adam_eps: 1.0e-8}
  learning_rate_scheduler: {learning_rate: 3.0e-4, lr_warmup_steps: 100}
  zero_stage: 0
parallelism: {dp: 2, tp: 2, pp: 1}
tokens: {micro_batch_size: 2, sequence_length: 256, train_steps: 5000}
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "line"),
    [
        (AXOLOTL, "TRANSFORMER_BASED_WRAP", "TRANSFORMER_WRAP", 11),
        (NANOTRON, "adamW", "adamw8", 2),
    ],
)
def test_a_word_that_a_later_release_may_take_is_no_error(
    lint_text: Lint, text: str, old: str, new: str, line: int
) -> None:
    assert VALUE not in {name for name, _, _ in _told(lint_text(text))}
    found = lint_text(text.replace(old, new))
    assert (VALUE, line, "warning") in _told(found)
