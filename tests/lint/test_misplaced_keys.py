"""Keys that the framework knows, in a block that has no such key, or with capital letters."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "misspelt-config-key"
TITAN = (
    "[model]\n"
    'name = "llama3"\n'
    "[training]\n"
    "local_batch_size = 2\n"
    "seq_len = 4096\n"
    "steps = 1000\n"
    "[optimizer]\n"
    "lr = 3e-4\n"
    "[lr_scheduler]\n"
    "warmup_steps = 10\n"
    "[parallelism]\n"
    "tensor_parallel_degree = 2\n"
)
TUNE = (
    "tokenizer:\n"
    "  _component_: torchtune.models.llama3.llama3_tokenizer\n"
    "  max_seq_len: 2048\n"
    "optimizer:\n"
    "  _component_: torch.optim.AdamW\n"
    "  lr: 2e-5\n"
    "  weight_decay: 0.1\n"
    "lr_scheduler:\n"
    "  num_warmup_steps: 10\n"
    "batch_size: 2\n"
    "epochs: 1\n"
    "gradient_accumulation_steps: 8\n"
    "max_steps_per_epoch: null\n"
    "compile: false\n"
)
AXOLOTL = (
    "base_model: my/model\n"
    "datasets:\n"
    "  - path: my/data\n"
    "    type: alpaca\n"
    "val_set_size: 0.05\n"
    "sequence_len: 2048\n"
    "micro_batch_size: 2\n"
    "gradient_accumulation_steps: 4\n"
    "num_epochs: 1\n"
    "learning_rate: 0.0001\n"
    "fsdp_version: 2\n"
    "fsdp_config:\n"
    "  offload_params: false\n"
    "  state_dict_type: FULL_STATE_DICT\n"
    "  auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
)
LITGPT = (
    "checkpoint_dir: checkpoints/my/model\n"
    "out_dir: out/x\n"
    "precision: bf16-true\n"
    "devices: 1\n"
    "data:\n"
    "  class_path: litgpt.data.Alpaca2k\n"
    "  init_args:\n"
    "    val_split_fraction: 0.03847\n"
    "train:\n"
    "  save_interval: 200\n"
    "  log_interval: 1\n"
    "  global_batch_size: 8\n"
    "  micro_batch_size: 2\n"
    "  epochs: 4\n"
    "eval:\n"
    "  interval: 100\n"
    "  max_iters: 100\n"
)
ACCELERATE = (
    "compute_environment: LOCAL_MACHINE\n"
    "distributed_type: FSDP\n"
    "fsdp_config:\n"
    "  fsdp_sharding_strategy: FULL_SHARD\n"
    "  fsdp_offload_params: false\n"
    "  fsdp_activation_checkpointing: false\n"
    "machine_rank: 0\n"
    "mixed_precision: bf16\n"
    "num_machines: 1\n"
    "num_processes: 8\n"
)
FACTORY = (
    "model_name_or_path: my/model\n"
    "stage: sft\n"
    "do_train: true\n"
    "finetuning_type: full\n"
    "dataset: alpaca\n"
    "template: llama3\n"
    "cutoff_len: 2048\n"
    "per_device_train_batch_size: 1\n"
    "learning_rate: 1.0e-5\n"
    "ray_init_kwargs:\n"
    "  runtime_env: null\n"
    "  my_key: 1\n"
    "num_train_epochs: 3.0\n"
)
CLEAN = [
    (TITAN, "train.toml"),
    (TUNE, "full.yaml"),
    # A key of the user's own, which the file itself reads.
    (TUNE.replace("max_seq_len: 2048", "max_seq_len: ${max_prompt_len}") + "max_prompt_len: 9\n",
     "full.yaml"),
    (AXOLOTL, "config.yaml"),
    (LITGPT, "lora.yaml"),
    (ACCELERATE, "fsdp.yaml"),
    (FACTORY, "sft.yaml"),
    # Blocks that other programs read.
    (FACTORY.replace("  my_key: 1\n", "  learning_rate: 1\n"), "sft.yaml"),
]  # fmt: skip


def keys(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in found if f.name == NAME]


@pytest.mark.parametrize(("text", "name"), CLEAN)
def test_keys_in_their_blocks_are_silent(lint_text: Lint, text: str, name: str) -> None:
    assert keys(lint_text(text, name)) == []


@pytest.mark.parametrize(
    ("text", "name", "old", "new", "line", "says"),
    [
        (TITAN, "train.toml", "lr = 3e-4\n", "seq_len = 8192\n", 8, "in training"),
        (TITAN, "train.toml", "[model]\n", "steps = 100\n[model]\n", 1, "in training"),
        (TUNE, "full.yaml", "epochs: 1\n", "epochs: 1\nweight_decay: 0.1\n", 12, "in optimizer"),
        (TUNE, "full.yaml", "  lr: 2e-5\n", "  lr: 2e-5\n  epochs: 3\n", 7, "at the top level"),
        (AXOLOTL, "config.yaml", "val_set_size", "    val_set_size", 5, "at the top level"),
        (AXOLOTL, "config.yaml", "  offload_params: false\n", "  learning_rate: 1e-4\n", 13,
         "at the top level"),
        (AXOLOTL, "config.yaml", "num_epochs: 1\n", "num_epochs: 1\nreshard_after_forward: true\n",
         10, "in fsdp_config"),
        (LITGPT, "lora.yaml", "devices: 1\n", "devices: 1\nepochs: 3\n", 5, "in train"),
        (LITGPT, "lora.yaml", "  max_iters: 100\n", "  max_iters: 100\n  global_batch_size: 8\n",
         18, "in train"),
        (ACCELERATE, "fsdp.yaml", "fsdp_config:\n", "fsdp_config:\n  num_processes: 4\n", 4,
         "at the top level"),
        (ACCELERATE, "fsdp.yaml", "machine_rank: 0\n", "machine_rank: 0\nzero_stage: 3\n", 8,
         "in deepspeed_config"),
        (ACCELERATE, "fsdp.yaml", "machine_rank: 0\n", "fsdp_use_orig_params: true\n", 7,
         "in fsdp_config"),
        (FACTORY, "sft.yaml", "runtime_env: null", "per_device_train_batch_size: 4", None, ""),
    ],
)  # fmt: skip
def test_a_key_in_another_block(
    lint_text: Lint, text: str, name: str, old: str, new: str, line: int | None, says: str
) -> None:
    assert old in text
    found = [f for f in lint_text(text.replace(old, new), name) if f.name == NAME]
    assert [f.line for f in found] == ([] if line is None else [line])
    assert all(says in f.message.en for f in found)


@pytest.mark.parametrize(
    ("text", "name", "old", "new"),
    [
        (AXOLOTL, "config.yaml", "learning_rate:", "Learning_Rate:"),
        (TITAN, "train.toml", "steps = 1000", "STEPS = 1000"),
        (FACTORY, "sft.yaml", "cutoff_len:", "CUTOFF_LEN:"),
    ],
)
def test_capital_letters_count(lint_text: Lint, text: str, name: str, old: str, new: str) -> None:
    changed = text.replace(old, new)
    line = changed[: changed.index(new)].count("\n") + 1
    assert keys(lint_text(changed, name)) == [(NAME, line)]


@pytest.mark.parametrize(
    ("text", "name", "old", "new", "told"),
    [
        (FACTORY, "sft.yaml", "cutoff_len:", "cutoff_length:", [(NAME, 7)]),
        (AXOLOTL, "config.yaml", "sequence_len:", "seq_len_my:", []),
    ],
)
def test_a_word_written_out(
    lint_text: Lint, text: str, name: str, old: str, new: str, told: list[tuple[str, int]]
) -> None:
    assert keys(lint_text(text.replace(old, new), name)) == told


SAMPLES = """base_model: some/model
sequence_len: 2048
micro_batch_size: 2
datasets:
  - path: some/set
    type: chat_template
    field_messages: messages
special_tokens:
  pad_token: "<pad>"
"""


def test_what_describes_a_data_set_stands_in_it(lint_text: Lint) -> None:
    assert [f for f in lint_text(SAMPLES) if f.name == NAME] == []
    (found,) = (f for f in lint_text(SAMPLES + "field_messages: messages\n") if f.name == NAME)
    assert (found.line, "in datasets" in found.message.en) == (10, True)
    (found,) = (f for f in lint_text(SAMPLES + "eos_token: x\n") if f.name == NAME)
    assert "in special_tokens" in found.message.en


def test_a_name_of_another_framework_is_told_once(lint_text: Lint) -> None:
    """axolotl's datasets may have a sequence_length, but sequence_len is what is meant on top."""
    written = AXOLOTL.replace("sequence_len:", "sequence_length:")
    found = [f for f in lint_text(written) if f.name == NAME]
    assert len(found) == 1
    assert "here it is sequence_len" in found[0].message.en


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("num_epochs: 1\n", "lora_model_dir:\n num_epochs: 1\n", [10]),
        ("num_epochs: 1\n", "lora_model_dir:\nnum_epochs: 1\n", []),
        ("num_epochs: 1\n", "num_epochs: 1\nqat:\n  weight_dtype: int8\n", []),
        # Blocks of plugins, known and not, have keys of their own.
        ("num_epochs: 1\n", "num_epochs: 1\nhatchery:\n  lora_rank: 8\n  save_steps: 1\n", []),
        ("num_epochs: 1\n", "num_epochs: 1\ndiffusion:\n  eps: 1e-3\n", []),
        ("num_epochs: 1\n", "num_epochs: 1\nmy_plugin:\n  save_steps: 1\n", []),
    ],
)
def test_a_key_that_slid_below_an_empty_one(
    lint_text: Lint, old: str, new: str, lines: list[int]
) -> None:
    found = lint_text(AXOLOTL.replace(old, new), "a.yaml")
    assert [one.line for one in found if one.name == NAME] == lines
