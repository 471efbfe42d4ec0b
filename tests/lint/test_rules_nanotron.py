"""Rules of nanotron: a clean file is silent, each mutation fires at its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

CLEAN = """\
checkpoints:
  checkpoint_interval: 500
  checkpoints_path: out
  save_final_state: true
model:
  dtype: bfloat16
  model_config:
    hidden_size: 1024
    num_attention_heads: 16
    num_key_value_heads: 4
    num_hidden_layers: 12
    max_position_embeddings: 2048
optimizer:
  clip_grad: 1.0
  weight_decay: 0.1
  zero_stage: 1
  accumulate_grad_in_fp32: true
  learning_rate_scheduler:
    learning_rate: 0.0003
    lr_decay_steps: 9500
    lr_decay_style: cosine
    lr_warmup_steps: 500
    lr_warmup_style: linear
    min_decay_lr: 3.0e-05
parallelism:
  dp: 4
  pp: 1
  tp: 2
  pp_engine: 1f1b
  tp_mode: REDUCE_SCATTER
tokens:
  batch_accumulation_per_replica: 8
  micro_batch_size: 4
  sequence_length: 2048
  train_steps: 10000
"""
REFUSED, NEEDS = "flag-value-not-accepted", "option-needs-another-option"
MUTATIONS = [
    ({"    lr_warmup_style: linear\n": ""}, NEEDS, 19),
    ({"warmup_style: linear": "warmup_style: cosine"}, REFUSED, 23),
    ({"decay_style: cosine": "decay_style: cosine_with_min"}, REFUSED, 21),
    ({"    min_decay_lr: 3.0e-05\n": ""}, "option-reads-otherwise", 21),
    ({"dtype: bfloat16": "dtype: bf16"}, REFUSED, 6),
    ({"pp_engine: 1f1b": "pp_engine: gpipe"}, REFUSED, 29),
    ({"tp_mode: REDUCE_SCATTER": "tp_mode: scatter"}, REFUSED, 30),
    ({"  train_steps: 10000\n": ""}, NEEDS, 34),
    ({"  sequence_length: 2048\n": ""}, NEEDS, 34),
    ({"  micro_batch_size: 4\n": ""}, NEEDS, 34),
    ({"  batch_accumulation_per_replica: 8\n": ""}, NEEDS, 34),
    ({"  tp: 2\n": ""}, NEEDS, 26),
    ({"  dp: 4\n": ""}, NEEDS, 27),
    ({"  pp: 1\n": ""}, NEEDS, 27),
    ({"  dp: 4\n": "  dp: 0\n"}, "flag-value-not-accepted", 26),
    ({"  checkpoint_interval: 500\n": ""}, NEEDS, 2),
    ({"  checkpoints_path: out\n": ""}, NEEDS, 2),
    ({"  zero_stage: 1\n": ""}, NEEDS, 15),
    ({"  weight_decay: 0.1\n": ""}, NEEDS, 15),
    ({"  accumulate_grad_in_fp32: true\n": ""}, NEEDS, 15),
    ({"    learning_rate: 0.0003\n": ""}, NEEDS, 20),
    ({"decay_steps: 9500": "decay_steps: 950"}, "decay-ends-before-run", 20),
    ({"decay_steps: 9500": "decay_steps: 95000"}, "decay-ends-after-run", 20),
]


def test_the_clean_file_is_silent(lint_text: Lint) -> None:
    assert lint_text(CLEAN) == ()


@pytest.mark.parametrize(("changes", "cause", "line"), MUTATIONS)
def test_each_mutation_fires(
    lint_text: Lint, changes: dict[str, str], cause: str, line: int
) -> None:
    text = CLEAN
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    assert [(f.name, f.line) for f in lint_text(text)] == [(cause, line)]


def test_a_decay_may_start_late(lint_text: Lint) -> None:
    late = "lr_decay_steps: 2000\n    lr_decay_starting_step: 8000"
    assert lint_text(CLEAN.replace("lr_decay_steps: 9500", late)) == ()


@pytest.mark.parametrize(
    ("every", "final", "told"),
    [
        (20000, "false", ["checkpoints-never-saved"]),
        (10000, "false", []),
        (20000, "true", ["no-checkpoint-during-run"]),
    ],
)
def test_a_checkpoint_after_the_end(
    lint_text: Lint, every: int, final: str, told: list[str]
) -> None:
    text = CLEAN.replace("interval: 500", f"interval: {every}", 1)
    text = text.replace("state: true", f"state: {final}", 1)
    assert [f.name for f in lint_text(text) if f.line == 2] == told
