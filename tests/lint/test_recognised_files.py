"""Whose a file is, where few of its keys tell: what a framework is not, and what it still is."""

from __future__ import annotations

from collections.abc import Callable

from medic.lint.files import LintFinding

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
