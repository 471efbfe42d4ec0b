"""The layer class that FSDP wraps against the one that the model's family has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NAME = "component-name-wrong"
ACCELERATE = (
    "compute_environment: LOCAL_MACHINE\n"
    "distributed_type: FSDP\n"
    "fsdp_config:\n"
    "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
    "  fsdp_transformer_layer_cls_to_wrap: {layer}\n"
    "mixed_precision: bf16\n"
    "num_machines: 1\n"
    "num_processes: 8\n"
)
LAUNCH = (
    "accelerate launch --config_file fsdp.yaml sft.py --model_name_or_path {model} "
    "--learning_rate 2e-5 --per_device_train_batch_size 2 --bf16 --output_dir out\n"
)
AXOLOTL = (
    "base_model: Qwen/Qwen2.5-7B\ndatasets:\n  - path: some/data\n    type: alpaca\n"
    "sequence_len: 2048\nmicro_batch_size: 1\nnum_epochs: 1\nlearning_rate: 2e-5\n"
    "fsdp:\n  - full_shard\n  - auto_wrap\n"
    "fsdp_config:\n  fsdp_transformer_layer_cls_to_wrap: {layer}\n"
)
FLAGS = (
    "accelerate launch --num_processes 8 --use_fsdp "
    "--fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP "
    "--fsdp_transformer_layer_cls_to_wrap {layer} run_clm.py --model_name_or_path {model} "
    "--output_dir out --per_device_train_batch_size 1 --learning_rate 2e-5\n"
)


def _told(lint_text: Lint, model: str, layer: str, config: str = ACCELERATE) -> list[LintFinding]:
    more = {"fsdp.yaml": config.format(layer=layer)}
    found = lint_text(LAUNCH.format(model=model), "run.sh", more)
    return [one for one in found if one.name == NAME]


@pytest.mark.parametrize(
    ("model", "right", "wrong"),
    [
        ("Qwen/Qwen2.5-7B", "Qwen2DecoderLayer", "LlamaDecoderLayer"),
        ("/models/Qwen3-8B/", "Qwen3DecoderLayer", "Qwen2DecoderLayer"),
        ("Qwen/Qwen3-30B-A3B", "Qwen3MoeDecoderLayer", "Qwen3DecoderLayer"),
        ("meta-llama/Llama-3.1-8B", "LlamaDecoderLayer", "MistralDecoderLayer"),
        ("google/gemma-2-9b", "Gemma2DecoderLayer", "GemmaDecoderLayer"),
        ("microsoft/phi-4", "Phi3DecoderLayer", "PhiDecoderLayer"),
    ],
)
def test_the_layer_of_a_family(lint_text: Lint, model: str, right: str, wrong: str) -> None:
    assert not _told(lint_text, model, right)
    (found,) = _told(lint_text, model, wrong)
    assert (found.file.rpartition("/")[2], found.line) == ("fsdp.yaml", 5)
    assert f"its layer class is {right}" in found.message.en


def test_flags_of_the_launcher(lint_text: Lint) -> None:
    def lines(layer: str) -> list[int]:
        text = FLAGS.format(model="Qwen/Qwen2.5-7B", layer=layer)
        return [one.line for one in lint_text(text, "run.sh") if one.name == NAME]

    assert lines("LlamaDecoderLayer") == [1]
    assert lines("Qwen2DecoderLayer") == []


@pytest.mark.parametrize(("layer", "fires"), [("LlamaDecoderLayer", 1), ("Qwen2DecoderLayer", 0)])
def test_a_list_of_words_switches_it_on(lint_text: Lint, layer: str, fires: int) -> None:
    found = lint_text(AXOLOTL.format(layer=layer))
    assert sum(one.name == NAME for one in found) == fires


@pytest.mark.parametrize(
    ("model", "layer"),
    [
        ("my-org/own-7b", "LlamaDecoderLayer"),  # a family that is not known
        ("unsloth/phi-4", "LlamaDecoderLayer"),  # published as a Llama
        ("Qwen/Qwen2.5-VL-7B-Instruct", "LlamaDecoderLayer"),
        ("Qwen/Qwen2-57B-A14B", "Qwen2DecoderLayer"),
        ("meta-llama/Llama-3.2-11B-Vision", "MistralDecoderLayer"),
        ("Qwen/Qwen2.5-7B", "MyOwnLayer"),
    ],
)
def test_what_is_not_known_is_not_told(lint_text: Lint, model: str, layer: str) -> None:
    assert not _told(lint_text, model, layer)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("TRANSFORMER_BASED_WRAP", "SIZE_BASED_WRAP"),
        ("distributed_type: FSDP", "distributed_type: MULTI_GPU"),
    ],
)
def test_a_name_that_is_not_read_is_not_told(lint_text: Lint, old: str, new: str) -> None:
    assert _told(lint_text, "Qwen/Qwen2.5-7B", "LlamaDecoderLayer")
    config = ACCELERATE.replace(old, new)
    assert not _told(lint_text, "Qwen/Qwen2.5-7B", "LlamaDecoderLayer", config)


@pytest.mark.parametrize("line", ["--cpus-per-task=8", "-c 8", "--nodes=1"])
def test_a_directive_of_the_job_is_no_trainer_of_its_own(lint_text: Lint, line: str) -> None:
    for layer, fires in (("LlamaDecoderLayer", 1), ("Qwen2DecoderLayer", 0)):
        launch = f"#!/bin/bash\n#SBATCH {line}\n{LAUNCH.format(model='Qwen/Qwen2.5-7B')}"
        found = lint_text(launch, "run.sh", {"fsdp.yaml": ACCELERATE.format(layer=layer)})
        assert sum(one.name == NAME for one in found) == fires


HF = (
    "torchrun --nproc_per_node=8 run_clm.py --model_name_or_path Qwen/Qwen2.5-7B --do_train "
    '--per_device_train_batch_size 2 --output_dir out --fsdp "{fsdp}" --fsdp_config layers.json\n'
)


@pytest.mark.parametrize(
    ("layer", "fsdp", "fires"),
    [
        ("LlamaDecoderLayer", "full_shard auto_wrap", True),
        ("Qwen2DecoderLyer", "full_shard auto_wrap", True),  # a letter is lost
        ("Qwen2DecoderLayer", "full_shard auto_wrap", False),
        ("Qwen2MLP", "full_shard auto_wrap", False),
    ],
)
def test_a_file_of_trainings_arguments(lint_text: Lint, layer: str, fsdp: str, fires: bool) -> None:
    more = {"layers.json": f'{{"transformer_layer_cls_to_wrap": ["{layer}"]}}\n'}
    found = [f for f in lint_text(HF.format(fsdp=fsdp), "run.sh", more) if f.name == NAME]
    assert [(f.file.rpartition("/")[2], f.line) for f in found] == (
        [("layers.json", 1)] if fires else []
    )


@pytest.mark.parametrize(
    ("layer", "told"),
    [("LLamaDecoderLayer", 1), ("LlamaDecoderLayer", 0), ("Qwen9DecoderLayer", 0), ("myLayer", 0)],
)
def test_the_case_of_a_letter_without_a_model(lint_text: Lint, layer: str, told: int) -> None:
    found = lint_text(ACCELERATE.format(layer=layer), "fsdp.yaml")
    assert sum("no model has a layer class" in one.message.en for one in found) == told
