"""Checkpoints that a long run lacks, layers of a stage in chunks, prompt and response in the positions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NEVER, NONE = "checkpoints-never-saved", "no-checkpoint-during-run"
SHAPE, BEYOND = "model-not-divisible-by-parallel-size", "positions-beyond-trained"
MEGATRON = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size 2 \\\n"
    "  --pipeline-model-parallel-size 4 {more} \\\n"
    "  --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 \\\n"
    "  --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 \\\n"
    "  --train-iters {steps} --lr 3e-4 --min-lr 3e-5 --bf16 --save ck --save-interval {save}\n"
)
TRL = (
    "model_name_or_path: Qwen/Qwen2.5-7B-Instruct\ndataset_name: a/b\nbeta: 0.1\nbf16: true\n"
    "max_length: 2048\nper_device_train_batch_size: 2\nlearning_rate: 5.0e-7\noutput_dir: out\n"
)
VERL = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=512 \\\n"
    "  data.max_prompt_length=512 data.max_response_length={response} \\\n"
    "  actor_rollout_ref.model.path={model} actor_rollout_ref.rollout.name=vllm \\\n"
    "  actor_rollout_ref.actor.ppo_mini_batch_size=128 trainer.save_freq=20\n"
)


def told(found: tuple[LintFinding, ...], *names: str) -> list[tuple[str, str, int]]:
    return [(f.name, f.severity, f.line) for f in found if f.name in names]


@pytest.mark.parametrize(
    ("steps", "save", "severity"),
    [("60000", "100000", "warning"), ("600", "1000", "info"), ("60000", "1000", "")],
)
def test_a_long_run_without_a_checkpoint(
    lint_text: Lint, steps: str, save: str, severity: str
) -> None:
    found = lint_text(MEGATRON.format(more="", steps=steps, save=save), "run.sh")
    assert told(found, NONE) == ([(NONE, severity, 5)] if severity else [])


@pytest.mark.parametrize(
    ("more", "fires"),
    [
        ('save_strategy: "no"\nmax_steps: 20000\n', True),
        ("save_strategy: no\nmax_steps: 20000\n", True),
        ('save_strategy: "no"\nmax_steps: 500\n', False),  # the model is saved at the end
        ('save_strategy: "no"\n', False),
        ("save_strategy: epoch\nmax_steps: 20000\n", False),
        ("save_steps: 100\n", False),
    ],
)
def test_a_strategy_that_saves_nothing_on_the_way(lint_text: Lint, more: str, fires: bool) -> None:
    found = lint_text(TRL + more, "dpo.yaml")
    assert told(found, NEVER) == ([(NEVER, "info", 9)] if fires else [])


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("--num-layers-per-virtual-pipeline-stage 3", 2),
        ("--num-layers-per-virtual-pipeline-stage 4", 0),
        ("--num-virtual-stages-per-pipeline-rank 3", 2),
        ("--num-virtual-stages-per-pipeline-rank 2", 0),
        ("--num-layers-per-virtual-pipeline-stage $CHUNK", 0),
    ],
)
def test_the_layers_of_a_stage_in_chunks(lint_text: Lint, more: str, line: int) -> None:
    found = lint_text(MEGATRON.format(more=more, steps="60000", save="1000"), "run.sh")
    assert told(found, SHAPE) == ([(SHAPE, "error", line)] if line else [])


@pytest.mark.parametrize(
    ("response", "model", "fires"),
    [
        ("102400", "Qwen/Qwen2.5-7B-Instruct", True),
        ("32256", "Qwen/Qwen2.5-7B-Instruct", False),
        ("102400", "my/own-model", False),
        ("102400", "Qwen/Qwen2.5-7B-Instruct +actor_rollout_ref.model.override_config.rope_scaling.type=yarn",
         False),
    ],
)  # fmt: skip
def test_a_full_prompt_and_response_in_the_positions(
    lint_text: Lint, response: str, model: str, fires: bool
) -> None:
    found = lint_text(VERL.format(response=response, model=model), "run.sh")
    assert told(found, BEYOND) == ([(BEYOND, "warning", 2)] if fires else [])
