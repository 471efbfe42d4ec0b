"""Files of programs that no entry knows: right as they are, nothing is said of their keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
COMPOSER = """\
max_seq_len: 2048
model:
  name: hf_causal_lm
  pretrained: true
optimizer:
  name: decoupled_lionw
  lr: 5e-7
  weight_decay: 0.0
scheduler:
  name: linear_decay_with_warmup
  t_warmup: 50ba
max_duration: 3ep
eval_interval: 1ep
global_train_batch_size: 64
device_train_microbatch_size: auto
precision: amp_bf16
"""
COMPOSER_FROM_SCRATCH = """\
model: {name: mpt_causal_lm, d_model: 768, n_heads: 12, n_layers: 12, max_seq_len: 2048}
train_loader: {name: text, drop_last: true, num_workers: 8}
optimizer: {name: decoupled_adamw, lr: 6.0e-4, eps: 1.0e-08}
max_duration: 4800ba
global_train_batch_size: 256
device_train_microbatch_size: 16
precision: amp_bf16
"""
OWN = """\
model: {dim: 2048, n_layers: 16, n_heads: 16, max_seq_len: 2048}
train: {lr: 3.0e-4, batch_size: 256, micro_batch_size: 8, steps: 20000, warmup: 1000, seed: 1}
optim: {name: adamw, lr: 3.0e-4, wd: 0.1, betas: [0.9, 0.95]}
data: {path: /data/train.bin, seq_len: 2048, num_workers: 4}
precision: bf16
"""
OWN_FLAT = """\
model_name_or_path: base
cutoff_len: 2048
train_file: train.jsonl
lr: 2.0e-4
batch: 4
accumulate: 8
n_epochs: 3
"""
OWN_ITERATIONS = """\
trainer: {micro_batch_size: 4, train_iters: 5000, save_every: 500}
optimizer: {learning_rate: 1.0e-3, beta_1: 0.9}
paths: {data: x, out: y}
"""
SPEECH = """\
output_folder: results
number_of_epochs: 120
batch_size: 16
grad_accumulation_factor: 4
max_grad_norm: 5.0
num_workers: 4
lr_adam: 0.0008
warmup_steps: 25000
num_encoder_layers: 12
d_ffn: 2048
"""
SPARSE = """\
defaults: [_self_, {model: gpt}]
trainer: {devices: 8, max_steps: 10000, accelerator: gpu, precision: bf16-mixed}
optim: {lr: 3.0e-4, wd: 0.1}
"""
FILES = [COMPOSER, COMPOSER_FROM_SCRATCH, OWN, OWN_FLAT, OWN_ITERATIONS, SPEECH, SPARSE]


@pytest.mark.parametrize("text", FILES)
def test_a_right_file_of_another_program_is_silent(lint_text: Lint, text: str) -> None:
    assert lint_text(text) == ()


def test_a_shared_name_is_no_framework_s(lint_text: Lint) -> None:
    text = (
        "train: {micro_batch_size: 4, batch_size: 64, max_epochs: 1}\n"
        "ds: {zero_stage: 2, param_dtype: bf16}\n"
        "data: {dataset: x, seq_len: 2048}\n"
    )
    (found,) = lint_text(text)
    assert found.name == "misspelt-config-key"
    assert "Names that" not in found.message.en
    assert "Names that" not in found.message.zh
    assert "max_len" in found.message.en
