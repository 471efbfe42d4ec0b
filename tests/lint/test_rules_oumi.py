"""oumi's training configurations, and by which loader a program beside a file of its own reads it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

CLEAN = """\
model:
  model_name: meta-llama/Llama-3.1-8B-Instruct
  model_max_length: 8192
  torch_dtype_str: bfloat16
  attn_implementation: sdpa
data:
  train:
    datasets:
      - dataset_name: yahma/alpaca-cleaned
        dataset_kwargs: {some_option: 2}
    collator_name: text_completions_only_with_padding
training:
  trainer_type: TRL_SFT
  save_steps: 0  # its own word for none on the way
  num_train_epochs: 3
  per_device_train_batch_size: 2
  optimizer: adamw_torch_fused
  learning_rate: 2e-05
  lr_scheduler_type: cosine
  compile: false
  dataloader_num_workers: 0
  dataloader_prefetch_factor: 2  # not handed on without workers
  max_grad_norm: null
fsdp: {enable_fsdp: true, sharding_strategy: HYBRID_SHARD, use_orig_params: true}
peft:
  lora_r: 16
deepspeed:
  enable_deepspeed: false
  zero_stage: ZERO_3
"""
VALUE, KEY = "flag-value-not-accepted", "misspelt-config-key"


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in found if f.severity != "info"]


def test_a_right_configuration_is_silent(lint_text: Lint) -> None:
    assert _told(lint_text(CLEAN)) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("model_max_length", "model_max_lenght", (KEY, 3)),
        ("    collator_name", "    colator_name", (KEY, 11)),
        ("lora_r:", "lora_alpa:", (KEY, 26)),
        ("trainer_type: TRL_SFT", "trainer_type: TRL_SFTT", (VALUE, 13)),
        ("optimizer: adamw_torch_fused", "optimizer: adamw_torch_fussed", (VALUE, 17)),
        ("HYBRID_SHARD", "HYBRIDSHARD", (VALUE, 24)),
        ("ZERO_3", "ZERO_4", (VALUE, 29)),
        ("num_train_epochs: 3", "num_train_epochs: 0.5", ("impossible-value", 15)),
        ("batch_size: 2", "batch_size: eight", ("impossible-value", 16)),
        ("deepspeed: false", "deepspeed: true", ("options-exclude-each-other", 24)),
        (
            "trainer_type: TRL_SFT",
            "mixed_precision_dtype: BF16",
            ("options-exclude-each-other", 13),
        ),
        ("compile: false\n", "compile: true\n  save_epoch: true\n", ()),
    ],
)
def test_each_mutation_is_told(lint_text: Lint, old: str, new: str, told: tuple[str, int]) -> None:
    assert old in CLEAN
    assert _told(lint_text(CLEAN.replace(old, new))) == ([told] if told else [])


def test_compilation_needs_the_original_parameters(lint_text: Lint) -> None:
    text = CLEAN.replace("compile: false", "compile: true").replace(
        "use_orig_params: true", "use_orig_params: false"
    )
    assert _told(lint_text(text)) == [("option-needs-another-option", 20)]


def test_the_model_is_compiled_by_training(lint_text: Lint) -> None:
    text = CLEAN.replace("  attn_implementation: sdpa\n", "  compile: true\n").replace(
        "  compile: false\n", ""
    )
    assert _told(lint_text(text)) == [("option-reads-otherwise", 5)]


OWN = "batch_size: 4\nlearning_rate: 2e-5\nmax_steps: 1000\n"


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("from omegaconf import OmegaConf\ncfg = OmegaConf.load('config.yaml')\n", False),
        ("import hydra\n", False),
        ("import jsonargparse\n", False),
        ("import yaml\ncfg = yaml.safe_load(open('config.yaml'))\n", True),
        ("from omegaconf import OmegaConf\nimport yaml\nyaml.load(open('a'), Loader=l)\n", True),
        ("# no omegaconf here\nimport json\n", True),
    ],
)
def test_the_loader_says_what_a_number_is(lint_text: Lint, program: str, told: bool) -> None:
    found = _told(lint_text(OWN, more={"train.py": program}))
    assert found == [("number-read-as-text", 2)] * told
