"""Whose a file is, where few of its keys tell: what a framework is not, and what it still is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
IMPOSSIBLE = "impossible-value"
OWN_SCRIPT = """\
model_name_or_path: some/base
train_file: data/train.jsonl
cutoff_len: 1024
output_dir: out
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
learning_rate: 2.0e-4
num_train_epochs: 3
bf16: true
lora_rank: 8
lora_target_modules: [q_proj, v_proj]
"""
WITHOUT_MODEL = """\
attn_implementation: flash_attention_2
bf16: true
gradient_accumulation_steps: 1
gradient_checkpointing: true
log_completions: true
logging_steps: 5
logging_strategy: steps
max_steps: -1
save_strategy: epoch
seed: 42
"""
NODES = """\
compute_environment: LOCAL_MACHINE
distributed_type: MEGATRON_LM
machine_rank: 0
megatron_lm_config:
  megatron_lm_tp_degree: 2
mixed_precision: bf16
num_machines: 2
num_processes: 16
"""
LIT = """\
model_config: {n_embd: 256, n_head: 4, n_query_groups: 4, parallel_residual: false}
train: {global_batch_size: 16, micro_batch_size: 4, max_tokens: 320000, lr_warmup_steps: 2}
"""


# NeMo RL reads with OmegaConf: 5e-06 is a number; nothing names the framework but its blocks.
RL = """\
defaults: grpo.yaml
policy:
  model_name: some/model
  train_global_batch_size: 32
  train_micro_batch_size: 1
  dtensor_cfg: {enabled: true, tensor_parallel_size: 8}
  optimizer:
    name: torch.optim.AdamW
    kwargs: {lr: 5e-06, eps: 1e-08}
cluster: {gpus_per_node: 8, num_nodes: 4}
"""
# A value that stands at the top for others to read, as NeMo-Aligner's do.
ALIGNER = """\
trainer: {num_nodes: 1, devices: 8, precision: bf16, dpo: {max_steps: -1}}
exp_manager: {name: dpo}
model: {micro_batch_size: 1, global_batch_size: 64, optim: {lr: 9e-6}}
precision: ${trainer.precision}
"""
# A model that nanotron does not bring has keys of its own.
LLAMA4 = """\
model:
  dtype: bfloat16
  model_config:
    is_llama4_config: true
    hidden_size: 1024
    num_attention_heads: 16
    num_hidden_layers: 16
    vocab_size: 128256
    no_rope_layers: []
parallelism: {dp: 1, pp: 1, tp: 1}
tokens: {micro_batch_size: 3, batch_accumulation_per_replica: 1, sequence_length: 4096, train_steps: 9}
"""
# A fork's own settings, a family of them.
FORK = """\
stage: sft
model_name_or_path: some/model
finetuning_type: full
dataset: mine
template: qwen
output_dir: out
sequence_parallel_size: 4
sequence_parallel_mode: ulysses
per_device_train_batch_size: 1
learning_rate: 2.0e-5
num_train_epochs: 1.0
"""


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in found if f.severity != "info"]


def test_a_script_of_its_own_keys_is_no_framework_s(lint_text: Lint) -> None:
    assert _told(lint_text(OWN_SCRIPT)) == []


def test_a_file_without_a_model_is_still_judged(lint_text: Lint) -> None:
    assert _told(lint_text(WITHOUT_MODEL)) == []
    found = lint_text(WITHOUT_MODEL.replace("accumulation_steps: 1", "accumulation_steps: -1"))
    assert _told(found) == [(IMPOSSIBLE, 3)]


def test_machines_and_their_parallel_sizes(lint_text: Lint) -> None:
    assert _told(lint_text(NODES)) == []
    found = lint_text(NODES.replace("machine_rank: 0", "machine_rank: 2"))
    assert _told(found) == [(IMPOSSIBLE, 3)]
    one = NODES.replace("num_machines: 2", "num_machines: 1").replace("_rank: 0", "_rank: 2")
    assert _told(lint_text(one)) == []  # accelerate does not read it
    assert lint_text(NODES.replace("tp_degree: 2", "tp_degree: 24")) != lint_text(NODES)


def test_the_model_in_a_file_of_litgpt(lint_text: Lint) -> None:
    assert _told(lint_text(LIT)) == []
    found = lint_text(LIT.replace("groups: 4", "groups: 3"))
    assert _told(found) == [("heads-not-divisible-by-kv-heads", 1)]
    found = lint_text(LIT.replace("parallel_residual", "paralel_residual"))
    assert _told(found) == [("misspelt-config-key", 1)]


@pytest.mark.parametrize("text", [RL, ALIGNER, LLAMA4, FORK])
def test_shipped_files_are_silent(lint_text: Lint, text: str) -> None:
    assert _told(lint_text(text)) == []


def test_what_a_new_framework_s_file_sets_is_judged(lint_text: Lint) -> None:
    assert _told(lint_text(RL.replace("5e-06", "5"))) == [("learning-rate-not-survivable", 9)]


def test_without_its_family_the_name_is_another_framework_s(lint_text: Lint) -> None:
    family = FORK.replace("sequence_parallel_size: 4", "max_sequence_length: 4096")
    family = family.replace("sequence_parallel_mode", "max_sequence_mode")
    assert _told(lint_text(family)) == []
    alone = family.replace("max_sequence_mode: ulysses\n", "")
    assert _told(lint_text(alone)) == [("misspelt-config-key", 7)]


VERL = """\
actor_rollout_ref:
  model: {path: %s}
  actor:
    strategy: fsdp
    ppo_mini_batch_size: 256
    checkpoint: {contents: [model, optimizer]}
  rollout: {name: vllm, n: 5}
  ref: {param_offload: false}
trainer: {save_freq: -1, total_epochs: 1, nnodes: 1, n_gpus_per_node: 8}
"""


def test_the_base_of_an_old_verl_names_its_placeholder(lint_text: Lint) -> None:
    assert _told(lint_text(VERL % "~/models/deepseek-llm-7b-chat")) == []
    found = lint_text(VERL % "/job/model")
    assert [(f.name, f.line, f.severity) for f in found] == [("checkpoints-never-saved", 9, "info")]


GPT = """\
learning_rate = 6e-4
min_lr = 6e-5
max_iters = %d
lr_decay_iters = 600000
warmup_iters = 2
batch_size = 12
block_size = 1024
gradient_accumulation_steps = 8
"""


def test_a_run_of_a_few_steps_keeps_its_schedule(lint_text: Lint) -> None:
    late = "decay-ends-after-run"
    assert late not in {name for name, _ in _told(lint_text(GPT % 50, "train.py"))}
    assert late in {name for name, _ in _told(lint_text(GPT % 5000, "train.py"))}


def test_a_variable_that_is_to_be_filled_in(lint_text: Lint) -> None:
    launch = "torchrun --nproc_per_node 8 train.py --lr 1e-4\n"
    assert _told(lint_text(f'export MAX_JOBS=""\n{launch}', "run.sh")) == []
