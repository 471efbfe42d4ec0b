"""A generation step of GRPO holds whole groups of answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

NAME = "rl-batch-does-not-divide"
LAUNCH = (
    "accelerate launch --num_processes {ranks} grpo.py --per_device_train_batch_size 4 \\\n"
    "  --gradient_accumulation_steps {steps} --num_train_epochs 1 --warmup_steps 20 \\\n"
    "  --dataloader_num_workers 2 --learning_rate 1e-6 --bf16 true \\\n"
    "  --num_generations {group} {more}\n"
)


def launch(ranks: int = 8, steps: int = 2, group: int = 8, more: str = "") -> str:
    return LAUNCH.format(ranks=ranks, steps=steps, group=group, more=more)


@pytest.mark.parametrize(
    "bad",
    [
        launch(ranks=5, steps=1),
        launch(group=12),
        launch(steps=4, more="--steps_per_generation 1", group=64),
        launch(more="--generation_batch_size 60"),
        launch(more="--generation_batch_size 40"),
        launch(
            more="--eval_strategy steps --eval_steps 50 --per_device_eval_batch_size 3", group=16
        ),
    ],
)
def test_groups_that_do_not_fit(
    lint_text: Callable[..., tuple[LintFinding, ...]], bad: str
) -> None:
    assert [(f.name, f.line) for f in lint_text(bad, "run.sh")] == [(NAME, 4)]


@pytest.mark.parametrize(
    "good",
    [
        launch(),
        launch(ranks=6, group=12),
        launch(steps=1, more="--steps_per_generation 2", group=64),
        launch(more="--generation_batch_size 64"),
        launch(more="--eval_strategy steps --eval_steps 50 --per_device_eval_batch_size 4"),
        launch(more="--eval_strategy no --per_device_eval_batch_size 3", group=16),
    ],
)
def test_groups_that_fit(lint_text: Callable[..., tuple[LintFinding, ...]], good: str) -> None:
    assert lint_text(good, "run.sh") == ()
