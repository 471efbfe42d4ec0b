"""What the sizes of an open model tell, where the run only names it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.files import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
TUNE = (
    "model_name_or_path: meta-llama/{model}\n"
    "stage: sft\n"
    "do_train: true\n"
    "finetuning_type: lora\n"
    "lora_rank: 8\n"
    "lora_target: all\n"
    "dataset: identity\n"
    "template: llama2\n"
    "cutoff_len: {length}\n"
    "output_dir: out\n"
    "per_device_train_batch_size: 1\n"
    "learning_rate: 1.0e-4\n"
    "num_train_epochs: 3.0\n"
)
VERL = (
    "python3 -m verl.trainer.main_ppo data.train_files=a.parquet data.val_files=b.parquet \\\n"
    "  data.train_batch_size=1024 data.max_prompt_length=512 data.max_response_length=1024 \\\n"
    "  actor_rollout_ref.model.path=Qwen/Qwen2.5-{size}-Instruct \\\n"
    "  actor_rollout_ref.rollout.name=vllm \\\n"
    "  actor_rollout_ref.rollout.tensor_model_parallel_size={tensor} \\\n"
    "  trainer.n_gpus_per_node=8 trainer.nnodes=1 trainer.total_epochs=1\n"
)
SWIFT = (
    "NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen2.5-7B-Instruct --dataset x \\\n"
    "  --tensor_model_parallel_size {tensor} --save out --lr 1e-5 --max_length 4096 \\\n"
    "  --micro_batch_size 1 --global_batch_size 16 --max_epochs 1\n"
)
BEYOND = "positions-beyond-trained"


def _names(found: tuple[LintFinding, ...]) -> set[str]:
    return {one.name for one in found}


@pytest.mark.parametrize(
    ("model", "length", "told"),
    [
        ("Llama-2-7b-hf", 8192, True),
        ("Llama-2-7b-hf", 4096, False),
        ("Meta-Llama-3-8B-Instruct", 16384, True),
        ("Llama-3.1-8B-Instruct", 16384, False),
        ("Llama-3-8B-Instruct-262k", 16384, False),  # tells its own length
        ("my-own-model", 1_000_000, False),
        ("Qwen2.5-7B-Instruct", 65536, True),
        ("Qwen2.5-7B", 65536, False),
        ("Qwen3-30B-A3B", 65536, True),
        ("Qwen3-30B-A3B-Instruct-2507", 65536, False),
        ("phi-4", 32768, True),
        ("Phi-4-reasoning", 32768, False),
    ],
)
def test_a_sequence_beyond_the_positions_of_a_named_model(
    lint_text: Lint, model: str, length: int, told: bool
) -> None:
    found = lint_text(TUNE.format(model=model, length=length))
    assert [one.line for one in found if one.name == BEYOND] == [9] * told


@pytest.mark.parametrize("more", ["rope_scaling: linear\n", "packing: true\nneat_packing: true\n"])
def test_scaled_or_packed_is_not_beyond(lint_text: Lint, more: str) -> None:
    text = TUNE.format(model="Llama-2-7b-hf", length=8192) + more
    assert BEYOND not in _names(lint_text(text))


def test_many_contexts_packed_into_one_are_told_of(lint_text: Lint) -> None:
    text = TUNE.format(model="Llama-2-7b-hf", length=65536) + "packing: true\nneat_packing: true\n"
    (found,) = (one for one in lint_text(text) if one.name == BEYOND)
    assert found.severity == "info"
    assert "begin anew" in found.consequence.en


@pytest.mark.parametrize(
    ("size", "tensor", "told"), [("7B", 8, True), ("7B", 4, False), ("32B", 8, False)]
)
def test_heads_of_a_named_model_and_its_rollout(
    lint_text: Lint, size: str, tensor: int, told: bool
) -> None:
    found = lint_text(VERL.format(size=size, tensor=tensor), "run.sh")
    assert ("rollout-tensor-parallel-wrong" in _names(found)) == told


@pytest.mark.parametrize(("tensor", "told"), [(8, True), (4, False)])
def test_heads_of_a_named_model_and_its_training(lint_text: Lint, tensor: int, told: bool) -> None:
    found = lint_text(SWIFT.format(tensor=tensor), "run.sh")
    assert ("model-not-divisible-by-parallel-size" in _names(found)) == told


TITAN = (
    '[model]\nname = "{name}"\nflavor = "8B"\n\n'
    "[training]\nlocal_batch_size = 1\nseq_len = {length}\nsteps = 100\n"
)
GRPO = (
    "model_name_or_path: Qwen/Qwen2.5-7B-Instruct\nlearning_rate: 1.0e-6\nnum_generations: 8\n"
    "per_device_train_batch_size: 8\noutput_dir: out\nmax_completion_length: 8192\n"
    "max_prompt_length: {length}\n"
)


@pytest.mark.parametrize(
    ("name", "length", "told"),
    [("llama3", 262144, True), ("llama3", 131072, False), ("mine", 262144, False)],
)
def test_torchtitan_warns_of_a_sequence_beyond_its_model(
    lint_text: Lint, name: str, length: int, told: bool
) -> None:
    found = lint_text(TITAN.format(name=name, length=length), "t.toml")
    assert [f.line for f in found if f.name == BEYOND] == [7] * told


@pytest.mark.parametrize(("length", "told"), [(40000, True), (24576, False)])
def test_prompts_and_completions_beyond_the_positions(
    lint_text: Lint, length: int, told: bool
) -> None:
    found = [f for f in lint_text(GRPO.format(length=length)) if f.name == BEYOND]
    assert [(f.severity, f.line) for f in found] == [("info", 7)] * told
