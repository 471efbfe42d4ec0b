"""The chat template of training against the one of inference."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
TRAIN = """model_name_or_path: Qwen/Qwen2-7B
stage: sft
do_train: true
finetuning_type: lora
dataset: alpaca
template: qwen
output_dir: saves/qwen
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
learning_rate: 1.0e-4
num_train_epochs: 3.0
"""
SERVE = """model_name_or_path: Qwen/Qwen2-7B
adapter_name_or_path: {adapter}
template: {template}
finetuning_type: lora
infer_backend: huggingface
"""


@pytest.mark.parametrize(
    ("template", "adapter", "fires"),
    [
        ("llama3", "saves/qwen", True),
        ("llama3", "saves/qwen/checkpoint-100", True),
        ("qwen", "saves/qwen", False),
        ("llama3", "saves/other", False),
    ],
)
def test_another_template_for_what_was_trained(
    lint_text: Lint, template: str, adapter: str, fires: bool
) -> None:
    serve = SERVE.format(template=template, adapter=adapter)
    found = lint_text(TRAIN, "train.yaml", {"serve.yaml": serve})
    told = [(f.name, f.file.rpartition("/")[2], f.line) for f in found]
    assert told == ([("prompt-template-differs", "serve.yaml", 3)] if fires else [])


@pytest.mark.parametrize(
    ("model", "template", "fires"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "llama3", True),
        ("/models/Qwen2.5-7B-Instruct/", "mistral", True),
        ("meta-llama/Llama-3.1-8B-Instruct", "qwen", True),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "gemma", True),
        ("google/gemma-2-9b-it", "qwen", True),
        ("mistralai/Mistral-7B-Instruct-v0.3", "llama3", True),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen", False),
        ("Qwen/Qwen3-8B", "llama3", True),
        ("Qwen/Qwen3.5-9B", "llama3", True),
        ("Qwen/Qwen3.5-9B", "qwen3_5", False),
        ("Qwen/Qwen3.5-9B-Base", "alpaca", False),
        ("Qwen/Qwen3-4B-Instruct-2507", "llama3", True),
        ("Qwen/Qwen3-8B", "qwen3", False),
        ("Qwen/Qwen3-8B-Base", "alpaca", False),
        ("Qwen/Qwen2.5-7B", "llama3", True),  # of whose marks its vocabulary has none
        ("my/Qwen2.5-7B-Instruct-medical", "llama3", False),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "deepseekr1", False),
        ("Qwen/Qwen2.5-7B-Instruct", "alpaca", False),
        ("Qwen/Qwen2.5-7B-Instruct", "chatml", False),
        ("mistralai/Mistral-7B-Instruct-v0.3", "llama2", False),
    ],
)
def test_the_template_of_another_family(
    lint_text: Lint, model: str, template: str, fires: bool
) -> None:
    text = TRAIN.replace("Qwen/Qwen2-7B", model).replace("template: qwen", f"template: {template}")
    told = [(f.name, f.severity, f.line) for f in lint_text(text)]
    assert told == ([("prompt-template-differs", "warning", 6)] if fires else [])


def test_two_commands_of_a_script(lint_text: Lint) -> None:
    text = (
        "#!/bin/bash\n"
        "llamafactory-cli train --stage sft --model_name_or_path a/b --template qwen "
        "--output_dir saves/q --learning_rate 1e-4 --dataset alpaca --finetuning_type lora\n"
        "llamafactory-cli chat --model_name_or_path a/b --adapter_name_or_path saves/q "
        "--template {template} --finetuning_type lora\n"
    )
    found = lint_text(text.format(template="llama3"), "run.sh")
    assert [(f.name, f.line) for f in found if f.name == "prompt-template-differs"] == [
        ("prompt-template-differs", 3)
    ]
    assert not [
        f
        for f in lint_text(text.format(template="qwen"), "run.sh")
        if f.name == "prompt-template-differs"
    ]


def test_a_number_that_a_typed_loader_reads(lint_text: Lint) -> None:
    text = (
        "model:\n  type: gpt2\n  seq_len: 1024\ntrainer:\n  mp: p=f32,c=bfloat16\n"
        "  train_batch_size: 512\noptimizer:\n  learning_rate: 6E-4\n"
    )
    assert not lint_text(text)
    untyped = text.replace("  mp: p=f32,c=bfloat16\n", "  precision: bf16\n")
    assert [(f.name, f.line) for f in lint_text(untyped)] == [("number-read-as-text", 8)]


def test_dashes_where_other_names_have_them(lint_text: Lint) -> None:
    text = (
        "defaults:\n  - model@model: hf_model\n  - engine@engine: fsdp\n"
        "data:\n  train{sep}batch{sep}size: 256\n  micro_batch_size_per_gpu: 4\n"
        "  max_token_len_per_gpu: 8192\n  use_dynamic_bsz: true\ntrainer:\n"
        "  total_epochs: 4\n  n_gpus_per_node: 8\n  project_name: p\n"
    )
    assert not [f for f in lint_text(text.format(sep="_")) if f.name == "misspelt-config-key"]
    (found,) = (f for f in lint_text(text.format(sep="-")) if f.name == "misspelt-config-key")
    assert found.line == 5
