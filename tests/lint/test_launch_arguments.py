"""Flags behind the script, flags given twice, values outside a parser's choices."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
CLEAN = (
    "MODEL_ARGS=(\n"
    "  --layers 4\n"
    "  --micro-batch-size 2\n"
    "  --tag a --tag b\n"
    ")\n"
    "torchrun --nproc_per_node 8 --master_port 29501 pretrain.py \\\n"
    '  "${MODEL_ARGS[@]}" \\\n'
    "  --heads 8 \\\n"
    "  --layers 6\n"
)
BEHIND, TWICE = "launcher-flag-after-script", "flag-given-twice"
MUTATIONS = [
    ("--nproc_per_node 8 ", "", "  --heads 8", "  --nproc_per_node 8 --heads 8", BEHIND, 8),
    ("--master_port 29501 ", "", "--layers 6", "--layers 6 --master_port=29501", BEHIND, 9),
    ("  --heads 8", "  --heads 8 --heads 16", "", "", TWICE, 8),
    ("--layers 4\n", "--layers 4\n  --layers 5\n", "", "", TWICE, 3),
    ("--heads 8", "--output-dir a --heads 8 --output-dir=b", "", "", TWICE, 8),
]


def test_the_clean_command_is_silent(lint_text: Lint) -> None:
    assert lint_text(CLEAN, "launch.sh") == ()


@pytest.mark.parametrize(("old", "new", "second", "then", "cause", "line"), MUTATIONS)
def test_each_fault_is_told(
    lint_text: Lint, old: str, new: str, second: str, then: str, cause: str, line: int
) -> None:
    assert old in CLEAN
    found = lint_text(CLEAN.replace(old, new).replace(second or "\0", then), "launch.sh")
    assert [(f.name, f.line) for f in found] == [(cause, line)]


ACCELERATES = "distributed_type: MULTI_GPU\nnum_processes: 8\nnum_machines: 1\n"
LATE = "accelerate launch train.py --config_file {file} --learning_rate 1e-5\n"


def test_accelerates_own_file_behind_the_script(lint_text: Lint) -> None:
    found = lint_text(LATE.format(file="acc.yaml"), "launch.sh", {"acc.yaml": ACCELERATES})
    assert [(f.name, f.line) for f in found] == [(BEHIND, 1)]
    found = lint_text(LATE.format(file="mine.yaml"), "launch.sh", {"acc.yaml": ACCELERATES})
    assert BEHIND not in {f.name for f in found}


SOURCE = (
    "import argparse\n"
    "parser = argparse.ArgumentParser()\n"
    "parser.add_argument('--schedule', choices=['cosine', 'linear'])\n"
    "parser.add_argument('--stage', type=int, choices=[1, 2, 3])\n"
    "parser.add_argument('--nnodes', type=int)\n"
    "args = parser.parse_args()\n"
)
COMMAND = "torchrun --nproc_per_node 8 train.py \\\n  --schedule cosine --stage 2 --nnodes 1\n"


def test_a_script_may_have_a_launchers_flag(lint_text: Lint) -> None:
    assert lint_text(COMMAND, "launch.sh", {"train.py": SOURCE}) == ()


@pytest.mark.parametrize(
    ("old", "new"), [("cosine", "cosin"), ("--schedule cosine", "--schedule=poly"), ("2", "4")]
)
def test_a_value_outside_the_choices_is_told(lint_text: Lint, old: str, new: str) -> None:
    first, second = COMMAND.split("\n", 1)
    text = f"{first}\n{second.replace(old, new)}"
    found = lint_text(text, "launch.sh", {"train.py": SOURCE})
    assert [(f.name, f.line) for f in found] == [("flag-value-not-accepted", 2)]


HYDRA = (
    "python3 -m verl.trainer.main_ppo \\\n"
    "  data.train_batch_size=256 actor_rollout_ref.rollout.n={first} \\\n"
    "  actor_rollout_ref.model.path=m {more}\n"
)


@pytest.mark.parametrize(
    ("first", "more", "told"),
    [
        ("8", "actor_rollout_ref.rollout.n=4", True),
        ("8", "++actor_rollout_ref.rollout.n=4", True),
        ("8", "actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.name=sglang", True),
        ("8", "actor_rollout_ref.rollout.n=8", False),
        ("8", '"$@"', False),
        ("$N", "actor_rollout_ref.rollout.n=4", False),
        ("8", "data.a_b=1 data.a.b=2", False),
    ],
)
def test_a_key_of_hydra_given_twice(lint_text: Lint, first: str, more: str, told: bool) -> None:
    found = lint_text(HYDRA.format(first=first, more=more), "run.sh")
    assert [f.line for f in found if f.name == TWICE] == [3] * told
