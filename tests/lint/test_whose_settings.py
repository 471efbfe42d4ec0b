"""Checks that hold whoever's the file is: told by few keys, of a fork, behind a common script name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
VALUE, IMPOSSIBLE = "flag-value-not-accepted", "impossible-value"


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, int, str]]:
    return [(f.name, f.line, f.severity) for f in found if f.severity != "info"]


GRPO = """\
model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct
dataset_name: some/data
learning_rate: 2.0e-05
lr_scheduler_type: cosine
gradient_accumulation_steps: 16
per_device_train_batch_size: 16
vllm_gpu_memory_utilization: 0.7
max_completion_length: 1024
num_generations: 8
output_dir: out
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "", []),
        ("num_generations: 8", "num_generations: 1", [(VALUE, 9, "error")]),
        ("utilization: 0.7", "utilization: 70%", [(IMPOSSIBLE, 7, "error")]),
        ("learning_rate: 2.0e-05", "learning_rate: 2e-3%", [(IMPOSSIBLE, 3, "error")]),
        ("dataset_name: some/data", "dataset_name: a/b\ndataset_configs: [all]", []),
    ],
)
def test_a_file_is_that_of_what_builds_on_the_trainer(
    lint_text: Lint, old: str, new: str, told: list[tuple[str, int, str]]
) -> None:
    assert _told(lint_text(GRPO.replace(old, new))) == told


FORK = (
    "python3 -m verl.trainer.main_ppo data.train_batch_size=512 data.max_start_length=2048 "
    "algorithm.adv_estimator={estimator} actor_rollout_ref.model.path=Qwen/Qwen2.5-3B "
    "actor_rollout_ref.actor.optim.lr=1e-6 actor_rollout_ref.actor.ppo_mini_batch_size=256 "
    "actor_rollout_ref.actor.ppo_micro_batch_size={micro} "
    "actor_rollout_ref.actor.kl_loss_type={kl} actor_rollout_ref.rollout.name=vllm "
    "actor_rollout_ref.rollout.n_agent=5 trainer.n_gpus_per_node=8 trainer.nnodes=1 "
    "trainer.save_freq=100 max_turns=2\n"
)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, []),
        ({"estimator": "grop"}, [(VALUE, 1, "warning")]),
        ({"estimator": "turn_level_advantage"}, []),  # a fork takes further words
        ({"kl": "low_var"}, [(VALUE, 1, "warning")]),
        ({"kl": "jensen"}, []),
        ({"micro": "60"}, [("rl-batch-does-not-divide", 1, "error")]),
        ({"micro": "4"}, []),  # of each rank, as later releases call it otherwise
    ],
)
def test_slips_in_a_fork_are_told(
    lint_text: Lint, changed: dict[str, str], told: list[tuple[str, int, str]]
) -> None:
    values = {"estimator": "grpo", "micro": "64", "kl": "low_var_kl", **changed}
    assert _told(lint_text(FORK.format(**values), "run.sh")) == told


TUNE = (
    "torchrun --nproc_per_node 8 {script} --model_name_or_path a/b --data_path d.json "
    "--output_dir out --num_train_epochs 3 --per_device_train_batch_size 1 "
    "--gradient_accumulation_steps {steps} --learning_rate 1e-5 --bf16 True\n"
)
MEGATRON = (
    "torchrun --nproc_per_node 8 finetune_{model}.py $ARGS --micro-batch-size 1 "
    "--tensor-model-parallel-size {tp}\n"
)


def test_a_common_name_of_a_script_is_no_framework_s(lint_text: Lint) -> None:
    for script in ("finetune_llama3.py", "train.py"):
        assert _told(lint_text(TUNE.format(script=script, steps=4), "run.sh")) == []
        found = lint_text(TUNE.format(script=script, steps=0), "run.sh")
        assert _told(found) == [(IMPOSSIBLE, 1, "error")]
    exceed = "parallel-sizes-exceed-world"
    found = lint_text(MEGATRON.format(model="gpt", tp=3), "run.sh")  # where no flag tells another
    assert (exceed, 1, "error") in _told(found)


BEST = (
    "python train_mlm.py --model_name_or_path a/b --output_dir out --do_train --do_eval "
    "--load_best_model_at_end --save_steps 5000 --eval_steps 5000 {more} --num_train_epochs 5 "
    "--per_device_train_batch_size 5\n"
)


@pytest.mark.parametrize(
    ("more", "severities"),
    [
        ("--eval_strategy no", ["warning"]),
        ("--eval_strategy no --save_strategy steps", ["error"]),
        ("--eval_strategy no --save_strategy no", []),
        ("--eval_strategy no $MORE_ARGS", []),
        ("--eval_strategy steps", []),
    ],
)
def test_the_best_model_of_none_evaluated(
    lint_text: Lint, more: str, severities: list[str]
) -> None:
    found = lint_text(BEST.format(more=more), "run.sh")
    differ = [f.severity for f in found if f.name == "save-and-eval-strategy-differ"]
    assert differ == severities


def test_an_option_of_the_launcher_with_a_value_that_only_the_shell_knows(lint_text: Lint) -> None:
    text = "GPUS=$1\ntorchrun {before}train.py {after}--output_dir out --learning_rate 1e-5\n"
    late = lint_text(text.format(before="", after="--nproc_per_node=$GPUS "), "run.sh")
    assert _told(late) == [("launcher-flag-after-script", 2, "error")]
    assert _told(lint_text(text.format(before="--nproc_per_node=$GPUS ", after=""), "run.sh")) == []


@pytest.mark.parametrize(("nodes", "fires"), [(1, True), (2, False)])
def test_the_beginning_of_a_launcher_s_option(lint_text: Lint, nodes: int, fires: bool) -> None:
    text = (
        f"torchrun --nnode {nodes} --nproc_per_node 8 megatron_gpt_pretraining.py "
        "trainer.devices=8 model.tensor_model_parallel_size=16 model.micro_batch_size=4\n"
    )
    found = [f.name for f in lint_text(text, "run.sh")]
    assert ("parallel-sizes-exceed-world" in found) is fires


@pytest.mark.parametrize(
    ("old", "new", "fires"),
    [
        ("--learning_rate 1e-5", '--learning_rate ""', True),
        ("--learning_rate 1e-5", "--learning_rate ''", True),
        ("--learning_rate 1e-5", "--learning_rate=", True),
        ("--learning_rate 1e-5", '--learning_rate "$RATE"', False),
        ("--data_path d.json", '--data_path ""', False),  # text may be empty
    ],
)
def test_a_number_that_is_empty(lint_text: Lint, old: str, new: str, fires: bool) -> None:
    text = TUNE.format(script="train.py", steps=4)
    found = [f.name for f in lint_text(f"RATE=1e-5\n{text.replace(old, new)}", "run.sh")]
    assert (VALUE in found) is fires
