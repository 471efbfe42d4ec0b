"""Slips of keys that letters do not tell, and blocks of keys that are not the framework's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "misspelt-config-key"
FACTORY = (
    "model_name_or_path: my/model\n"
    "stage: sft\n"
    "finetuning_type: lora\n"
    "lora_target: all\n"
    "lora_rank: 8\n"
    "dataset: mine\n"
    "template: qwen\n"
    "cutoff_len: 2048\n"
    "logging_steps: 10\n"
    "output_dir: out\n"
    "bf16: true\n"
)
AXOLOTL = (
    "base_model: my/model\n"
    "datasets:\n"
    "  - path: my/data\n"
    "    type: alpaca\n"
    "adapter: lora\n"
    "lora_r: 16\n"
    "lora_alpha: 32\n"
    "lora_target_linear: true\n"
    "sequence_len: 2048\n"
    "micro_batch_size: 2\n"
    "num_epochs: 1\n"
    "optimizer: adamw_torch\n"
    "learning_rate: 0.0002\n"
    "gradient_checkpointing: true\n"
)
NANOTRON = (
    "tokens:\n"
    "  batch_accumulation_per_replica: 4\n"
    "  micro_batch_size: 2\n"
    "  sequence_length: 1024\n"
    "  train_steps: 100\n"
    "optimizer:\n"
    "  accumulate_grad_in_fp32: true\n"
    "  clip_grad: 1.0\n"
    "  zero_stage: 0\n"
    "  weight_decay: 0.1\n"
    "  learning_rate_scheduler:\n"
    "    learning_rate: 0.0003\n"
    "    lr_warmup_style: linear\n"
    "    lr_warmup_steps: 5\n"
    "    lr_decay_steps: 95\n"
    "    min_decay_lr: 0.00003\n"
    "parallelism:\n"
    "  dp: 2\n"
    "  tp: 1\n"
    "  pp: 1\n"
    "model:\n"
    "  dtype: bfloat16\n"
    "data_stages:\n"
    "- name: main\n"
    "  start_training_step: 1\n"
    "  data:\n"
    "    num_loading_workers: 1\n"
    "    dataset:\n"
    "      hf_dataset: my/chats\n"
    "      hf_dataset_split: train\n"
    "      conversation_column_name: conversations\n"
    "      train_on_completions_only: true\n"
)
TUNE = (
    "tokenizer:\n"
    "  _component_: torchtune.models.llama3.llama3_tokenizer\n"
    "  path: /job/tokenizer.model\n"
    "  max_seq_len: 2048\n"
    "model:\n"
    "  _component_: torchtune.models.llama3.llama3_8b\n"
    "optimizer:\n"
    "  _component_: torch.optim.AdamW\n"
    "  lr: 2e-5\n"
    "batch_size: 2\n"
    "epochs: 1\n"
    "max_steps_per_epoch: null\n"
    "gradient_accumulation_steps: 8\n"
    "compile: false\n"
)


@pytest.mark.parametrize("text", [FACTORY, AXOLOTL, NANOTRON, TUNE])
def test_what_is_right_is_silent(lint_text: Lint, text: str) -> None:
    assert [f for f in lint_text(text) if f.name == NAME] == []


@pytest.mark.parametrize(
    ("text", "old", "new", "line", "meant"),
    [
        (FACTORY, "bf16: true", "bf16:: true", 11, "bf16"),
        (NANOTRON, "name: main", "name:: main", 24, "name"),
        (FACTORY, "logging_steps", "train_logging_steps", 9, "logging_steps"),
        (FACTORY, "cutoff_len", "my_cutoff_len", 8, "cutoff_len"),
        (FACTORY, "cutoff_len", "cutoff_len_value", 8, "cutoff_len"),
        (FACTORY, "lora_target", "target_modules", 4, "lora_target"),
        (AXOLOTL, "lora_r:", "r:", 6, "lora_r"),
        (AXOLOTL, "optimizer:", "optim:", 12, "optimizer"),
        (AXOLOTL, "gradient_ch", "use_gradient_ch", 14, "gradient_checkpointing"),
        (NANOTRON, "    lr_warmup_steps", "    warmup_steps", 14, "lr_warmup_steps"),
    ],
)
def test_another_name_of_a_key_is_told(
    lint_text: Lint, text: str, old: str, new: str, line: int, meant: str
) -> None:
    assert old in text
    found = [f for f in lint_text(text.replace(old, new, 1)) if f.name == NAME]
    assert [f.line for f in found] == [line]
    assert meant in found[0].message.en


@pytest.mark.parametrize(
    ("text", "new", "places"),
    [
        (NANOTRON.replace("  dtype: bfloat16\n", "  ddp_bucket_cap_mb: 25\n"), "dtype: bfloat16", ("in model",)),
        (TUNE.replace("  max_seq_len: 2048\n", ""), "max_seq_len: 2048", ("in tokenizer",)),
    ],
)  # fmt: skip
def test_a_key_at_the_top_is_sent_to_its_block(
    lint_text: Lint, text: str, new: str, places: tuple[str, ...]
) -> None:
    found = [f for f in lint_text(f"{new}\n{text}") if f.name == NAME]
    assert [f.line for f in found] == [1]
    assert all(place in found[0].message.en for place in places)


def test_users_own_scripts_may_have_other_names(lint_text: Lint) -> None:
    text = "learning_rate: 0.0001\nper_device_train_batch_size: 4\nnum_train_epochs: 1\n"
    assert lint_text(f"{text}train_logging_steps: 3\noutput_dir: out\n") == ()


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("  lr: 2e-5\n", "", 0, ""),
        (
            "  _component_: torchtune.models.llama3.llama3_8b\n",
            "  _component_ = torchtune.models.llama3.llama3_8b\n",
            6,
            "equals sign",
        ),
        (
            "  _component_: torchtune.models.llama3.llama3_8b\n",
            "  _component_ torchtune.models.llama3.llama3_8b\n",
            6,
            "colon behind _component_ is missing",
        ),
        (
            "  _component_: torchtune.models.llama3.llama3_8b\n",
            "  a sentence about the model\n",
            0,
            "",
        ),
    ],
)
def test_a_line_that_yaml_takes_for_text(
    lint_text: Lint, old: str, new: str, line: int, said: str
) -> None:
    assert old in TUNE
    found = [f for f in lint_text(TUNE.replace(old, new, 1)) if f.name == NAME]
    assert [f.line for f in found] == ([line] if line else [])
    assert all(said in f.message.en for f in found)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CUBLAS_WORKSPACE_CONFIIG", "CUBLAS_WORKSPACE_CONFIG"),
        ("CUBLAS_WORKSPACE_CONFIG", ""),
        ("MY_OWN_VARIABLE", ""),
    ],
)
def test_variables_of_a_block_are_known(lint_text: Lint, name: str, meant: str) -> None:
    text = f"ENV_VARS:\n  {name}: :4096:8\nMODEL_ARGS:\n  --num-layers: 12\n  --lr: 0.0001\n"
    found = [f for f in lint_text(text) if f.name == NAME]
    assert [f.line for f in found] == ([2] if meant else [])
    assert all(meant in f.message.en for f in found)


def test_a_key_in_another_block_is_not_absent(lint_text: Lint) -> None:
    text = NANOTRON.replace("  zero_stage: 0\n", "").replace(
        "model:\n", "model:\n  zero_stage: 0\n"
    )
    found = [(f.name, f.line) for f in lint_text(text) if f.severity != "info"]
    assert found == [(NAME, 21)]


def test_a_name_that_a_later_release_dropped_is_told_with_the_next(lint_text: Lint) -> None:
    text = "per_device_train_batch_size: 4\nnum_train_epochs: 1\nlearning_rate: 0.0001\n"
    found = [f for f in lint_text(f"{text}warmup_fraction: 0.1\n") if f.name == NAME]
    assert [f.line for f in found] == [4]
    assert "warmup_ratio (warmup_steps in transformers >=5.18)" in found[0].message.en
    assert found[0].fix is None


OLD_LITGPT = (
    "checkpoint_dir: checkpoints/a\n"
    "train:\n"
    "  global_batch_size: 512\n"
    "  micro_batch_size: 4\n"
    "  lr_warmup_steps: 2000\n"
    "  max_tokens: 3000000000000\n"
    "  learning_rate: 0.0004\n"
    "  weight_decay: 0.1\n"
    "  beta1: 0.9\n"
    "  beta2: 0.95\n"
    "  min_lr: 0.00004\n"
    "eval:\n"
    "  interval: 1000\n"
)
OLD_NEOX = (
    '{\n  "pipe-parallel-size": 1,\n  "model-parallel-size": 1,\n  "num-layers": 12,\n'
    '  "hidden-size": 768,\n  "num-attention-heads": 12,\n  "seq-length": 2048,\n'
    '  "max-position-embeddings": 2048,\n  "train_micro_batch_size_per_gpu": 4,\n  "gas": 2,\n'
    '  "train-iters": 1000,\n  "lr-decay-iters": 1000,\n  "save-interval": 100\n}\n'
)


@pytest.mark.parametrize(("text", "name"), [(OLD_LITGPT, "a.yaml"), (OLD_NEOX, "a.yml")])
def test_names_of_older_releases_are_known(lint_text: Lint, text: str, name: str) -> None:
    assert [f for f in lint_text(text, name) if f.name == NAME] == []


@pytest.mark.parametrize(
    ("old", "new", "fires"),
    [
        ('"gas"', '"max_grad_norm"', True),  # a name of optimizer.params, at the top
        ('"train-iters": 1000', '"lr_warmup_fraction": 0.01', True),
        ('"gas": 2', '"optimizer": {"params": {"max_grad_norm": 1.0}}', False),
    ],
)
def test_a_name_of_another_block_at_the_top(
    lint_text: Lint, old: str, new: str, fires: bool
) -> None:
    found = lint_text(OLD_NEOX.replace(old, new), "a.yml")
    assert any(f.name == NAME for f in found) == fires


@pytest.mark.parametrize(
    ("name", "fires"), [("use_reenrtant", True), ("use_reentrant", False), ("own_switch", False)]
)
def test_arguments_of_checkpointing(lint_text: Lint, name: str, fires: bool) -> None:
    text = f"{AXOLOTL}gradient_checkpointing_kwargs:\n  {name}: false\n"
    assert any(f.name == NAME for f in lint_text(text)) == fires


@pytest.mark.parametrize(("second", "fires"), [("a_threshold", True), ("b_threshold", False)])
def test_a_key_twice_whoever_reads_it(lint_text: Lint, second: str, fires: bool) -> None:
    text = f"own_mode: false\na_threshold: 2.0\n{second}: 4.0\n"
    found = [f.line for f in lint_text(text) if f.name == "duplicate-config-key"]
    assert found == ([3] if fires else [])
