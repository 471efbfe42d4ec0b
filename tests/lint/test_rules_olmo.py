"""Rules of OLMo: a clean file is silent, each mutation fires at its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

CLEAN = """\
run_name: small
model:
  d_model: 1024
  n_heads: 16
  n_layers: 12
  rope: true
  alibi: false
  flash_attention: true
  max_sequence_length: 2048
optimizer:
  name: adamw
  learning_rate: 3.0e-4
  weight_decay: 0.1
scheduler:
  name: cosine_with_warmup
  units: steps
  t_warmup: 1000
save_folder: out
save_interval: 1000
save_num_checkpoints_to_keep: 3
load_path: null
max_duration: 100000
global_train_batch_size: 512
device_train_microbatch_size: 8
precision: amp_bf16
fsdp:
  precision: mixed
max_grad_norm: 1.0
"""
SILENT, OTHERWISE = "option-without-effect", "option-reads-otherwise"
EXCLUDE, MICRO = "options-exclude-each-other", "device_train_microbatch_size: 8"
MUTATIONS = [
    ({"units: steps": "units: tokens"}, OTHERWISE, 16),
    ({"t_warmup: 1000": "t_warmup: 4194304000"}, OTHERWISE, 16),
    ({"t_warmup: 1000": "t_warmup: 4194304000", "  units: steps\n": ""}, OTHERWISE, 16),
    ({"t_warmup: 1000": "t_warmup: 100000"}, "warmup-longer-than-run", 17),
    ({MICRO: f"{MICRO}00"}, SILENT, 24),
    ({MICRO: f"{MICRO}\ndevice_train_batch_size: 64"}, SILENT, 25),
    ({MICRO: f"{MICRO}\ndevice_train_grad_accum: 8"}, SILENT, 25),
    ({"precision: amp_bf16": "precision: bf16"}, "flag-value-not-accepted", 25),
    ({"alibi: false": "alibi: true", "rope: true": "rope: false"}, EXCLUDE, 7),
    (
        {"alibi: false": "alibi: true", "flash_attention: true": "flash_attention: false"},
        EXCLUDE,
        7,
    ),
    ({"load_path: null": "load_path: null\nreset_trainer_state: true"}, SILENT, 22),
    ({"load_path: null": "load_path: null\nreset_optimizer_state: true"}, SILENT, 22),
    ({"to_keep: 3": "to_keep: 0"}, "checkpoints-never-saved", 20),
    ({"save_interval: 1000": "save_interval: 0"}, "flag-value-not-accepted", 19),
    (
        {"save_interval: 1000": "save_interval: 1000\neval_interval: 0"},
        "flag-value-not-accepted",
        20,
    ),
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
        text = text.replace(old, new, 1)
    assert [(f.name, f.line) for f in lint_text(text)] == [(cause, line)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("t_warmup: 1000", "t_warmup: 99999"),
        ("name: cosine_with_warmup", "name: constant"),
        (MICRO, "device_train_microbatch_size: 512"),
    ],
)
def test_what_is_as_long_or_as_large_as_it_may_be(lint_text: Lint, old: str, new: str) -> None:
    assert lint_text(CLEAN.replace(old, new, 1)) == ()


def test_the_last_micro_batch_may_be_smaller(lint_text: Lint) -> None:
    ragged = CLEAN.replace(MICRO, "device_train_microbatch_size: 5")
    launch = {"launch.sh": "torchrun --nproc_per_node=8 scripts/train.py config.yaml\n"}
    assert lint_text(ragged) == ()
    assert lint_text(ragged, more=launch) == ()
    uneven = ragged.replace("batch_size: 512", "batch_size: 500")
    found = lint_text(uneven, more=launch)
    assert [(f.name, f.line) for f in found] == [("batch-not-divisible", 23)]
