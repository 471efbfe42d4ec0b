"""Rules of TRL: what is fine is silent, each mutation fires at its key."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]

BASE = (
    "model_name_or_path: my/model\n"
    "dataset_name: my/data\n"
    "per_device_train_batch_size: 4\n"
    "gradient_accumulation_steps: 2\n"
    "learning_rate: 2.0e-5\n"
    "num_train_epochs: 2\n"
    "warmup_steps: 20\n"
    "dataloader_num_workers: 4\n"
    "bf16: true\n"
)
SFT = "max_length: 2048\n"
GRPO = "num_generations: 8\n"
VALUE = "flag-value-not-accepted"
NEEDS = "option-needs-another-option"
EXCLUDE = "options-exclude-each-other"
WITHOUT = "option-without-effect"
OTHERWISE = "option-reads-otherwise"
RENAMED = "argument-renamed-in-library"
DEPRECATED = "argument-deprecated"
FLASH = "attn_implementation: flash_attention_2"
MUTATIONS = [
    (GRPO + "generation_batch_size: 64",
     GRPO + "generation_batch_size: 64\nsteps_per_generation: 2",
     EXCLUDE, "generation_batch_size"),
    (GRPO + "beta: 0.0", "beta: 0.0\nnum_generations: 1", VALUE, "num_generations"),
    (GRPO + "delta: 1.5", GRPO + "delta: 1.5\nuse_liger_kernel: true", EXCLUDE, "delta"),
    (GRPO + "sync_ref_model: true\nbeta: 0.1", GRPO + "sync_ref_model: true\nbeta: 0.0",
     EXCLUDE, "sync_ref_model"),
    (GRPO + "log_completions: true\nlog_completions_hub_repo: a/b",
     GRPO + "log_completions_hub_repo: a/b", NEEDS, "log_completions_hub_repo"),
    (GRPO + "vllm_mode: colocate", GRPO + "vllm_mode: colocated", VALUE, "vllm_mode"),
    (SFT + "load_in_8bit: true\nload_in_4bit: false",
     SFT + "load_in_8bit: true\nload_in_4bit: true", EXCLUDE, "load_in_8bit"),
    (f"{SFT}packing: true\n{FLASH}", f"max_length: null\npacking: true\n{FLASH}",
     NEEDS, "packing"),
    (f"{SFT}packing: true\n{FLASH}", f"{SFT}packing: true\nattn_implementation: sdpa",
     OTHERWISE, "packing"),
    (f"{SFT}packing: true\npacking_strategy: wrapped\nattn_implementation: sdpa",
     f"{SFT}packing: true\npacking_strategy: bfd\nattn_implementation: sdpa",
     OTHERWISE, "packing"),
    (f"{SFT}padding_free: true\n{FLASH}",
     f"{SFT}padding_free: true\nattn_implementation: eager", OTHERWISE, "padding_free"),
    (SFT + "use_peft: true\nlora_r: 16", SFT + "use_peft: false\nlora_r: 16",
     WITHOUT, "lora_r"),
    (SFT + "use_peft: true\nlora_r: 16", SFT + "lora_r: 16", WITHOUT, "lora_r"),
    (SFT, SFT + "sequence_len: 2048", "misspelt-config-key", "sequence_len"),
    (SFT + "lmbda: 1.0", SFT + "lmbda: 2", VALUE, "lmbda"),
    (SFT + "lmbda: 0", SFT + "lmbda: -1", VALUE, "lmbda"),
    (SFT, "max_seq_length: 2048", RENAMED, "max_seq_length"),
    (SFT + "eval_strategy: epoch", SFT + "evaluation_strategy: epoch",
     RENAMED, "evaluation_strategy"),
    (f"{SFT}packing: true\npacking_strategy: bfd_split\n{FLASH}",
     f"{SFT}packing: true\npacking_strategy: bfd-requeue\n{FLASH}",
     DEPRECATED, "packing_strategy"),
    (SFT + "use_liger_kernel: true", SFT + "use_liger_loss: true", DEPRECATED, "use_liger_loss"),
    *((SFT, f"{SFT}{key}: 1", DEPRECATED, key) for key in (
        "max_prompt_length", "vllm_guided_decoding_regex", "rpo_alpha", "generate_during_eval",
        "reference_free", "force_use_ref_model")),
    # Rules of TrainingArguments hold here as well, but not those of renamed arguments.
    (SFT + "save_strategy: steps\nsave_steps: 20", SFT + "save_strategy: 'no'\nsave_steps: 20",
     WITHOUT, "save_steps"),
    (SFT + "overwrite_output_dir: true", SFT + "optim: adamw_trch", VALUE, "optim"),
]  # fmt: skip


def told(findings: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in findings]


@pytest.mark.parametrize(("good", "bad", "cause", "key"), MUTATIONS)
def test_each_mutation_fires(lint_text: Lint, good: str, bad: str, cause: str, key: str) -> None:
    assert told(lint_text(BASE + good + "\n")) == []
    text = BASE + bad + "\n"
    line = 1 + [one.split(":")[0] for one in text.splitlines()].index(key)
    assert told(lint_text(text)) == [(cause, line)]


def test_an_empty_model_name(lint_text: Lint) -> None:
    text = BASE.replace("my/model", '""') + SFT + "output_dir: out\n"
    assert told(lint_text(text)) == [(NEEDS, 1)]


def test_two_sided_loss_with_the_old_liger_switch(lint_text: Lint) -> None:
    text = BASE + GRPO + "delta: 1.5\nuse_liger_loss: true\n"
    assert told(lint_text(text)) == [(EXCLUDE, 11), (DEPRECATED, 12)]
