"""What the sizes of an open model tell, where the run only names it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

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


# A length that an engine is asked for, above and within the 4096 positions of Llama 2.
ENGINES = [
    "vllm serve meta-llama/Llama-2-7b-hf --max-model-len {length}\n",
    "python -m vllm.entrypoints.openai.api_server --model meta-llama/Llama-2-7b-hf"
    " --max-model-len {length}\n",
    "python3 -m verl.trainer.main_ppo data.train_files=a data.max_prompt_length=512"
    " data.max_response_length=512 actor_rollout_ref.rollout.max_model_len={length}"
    " actor_rollout_ref.model.path=meta-llama/Llama-2-7b-hf trainer.n_gpus_per_node=8\n",
    "swift rlhf --rlhf_type grpo --model meta-llama/Llama-2-7b-hf --dataset a --max_length 2048"
    " --use_vllm true --vllm_max_model_len {length} --num_generations 8\n",
]
ENGINE = "engine-length-above-model"


@pytest.mark.parametrize("command", ENGINES)
def test_an_engine_is_asked_for_more_than_the_model_has(lint_text: Lint, command: str) -> None:
    assert ENGINE in _names(lint_text(command.format(length=32768), "run.sh"))
    assert ENGINE not in _names(lint_text(command.format(length=4096), "run.sh"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("export VLLM_ALLOW_LONG_MAX_MODEL_LEN=1\n", ""),
        ("", """ --rope-scaling '{"rope_type": "yarn", "factor": 8.0}'"""),
        ("", """ --hf-overrides '{"max_position_embeddings": 32768}'"""),
    ],
)
def test_an_engine_may_be_let_or_made_for_more(lint_text: Lint, before: str, after: str) -> None:
    command = ENGINES[0].format(length=32768).strip()
    assert ENGINE not in _names(lint_text(f"{before}{command}{after}\n", "run.sh"))


@pytest.mark.parametrize(("length", "told"), [(32768, True), (4096, False)])
@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "policy:\n  model_name: meta-llama/Llama-2-7b-hf\n  train_global_batch_size: 32\n"
            "  max_total_sequence_length: {length}\n",
            "grpo.yaml",
        ),
        (
            "litgpt finetune_lora meta-llama/Llama-2-7b-hf --train.max_seq_length {length}"
            " --data Alpaca\n",
            "run.sh",
        ),
        (
            "python -m openrlhf.cli.train_ppo_ray --pretrain meta-llama/Llama-2-7b-hf"
            " --prompt_max_len 0 --generate_max_len {length}\n",
            "run.sh",
        ),
    ],
)
def test_each_framework_s_own_length(
    lint_text: Lint, text: str, name: str, length: int, told: bool
) -> None:
    assert (BEYOND in _names(lint_text(text.format(length=length), name))) == told
