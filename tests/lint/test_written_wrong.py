"""What a hand writes wrong: values that are no number, words glued, variables set too late."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
_YAML = (
    "model_name_or_path: a/b\nstage: sft\ndo_train: true\nfinetuning_type: lora\n"
    "dataset: identity\ntemplate: llama2\nper_device_train_batch_size: 4\n"
    "gradient_accumulation_steps: 8\nlearning_rate: 1.0e-4\nsave_steps: 100\noutput_dir: out\n"
)
_RUN = (
    "torchrun --nproc_per_node 8 train.py --model_name_or_path a/b "
    "--per_device_train_batch_size 4 --gradient_accumulation_steps 2 --learning_rate 1e-4 "
    "--num_train_epochs 3 --warmup_steps 10 --output_dir out --bf16 True\n"
)


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in found if f.severity != "info"]


@pytest.mark.parametrize(
    ("old", "new", "name", "line"),
    [
        ("train_batch_size: 4", "train_batch_size: [4]", "impossible-value", 7),
        ("train_batch_size: 4", "train_batch_size: {value: 4}", "impossible-value", 7),
        ("train_batch_size: 4", "train_batch_size: true", "impossible-value", 7),
        ("steps: 8", "steps: 4*2", "impossible-value", 8),
        ("1.0e-4", "1.0e-4\uff0c", "impossible-value", 9),
        ("save_steps: 100", "save_steps: 0100", "number-read-otherwise", 10),
        ("device_train_batch", "train_device_batch", "misspelt-config-key", 7),
        ("per_device_train_batch_size", "per_device_batch_size", "misspelt-config-key", 7),
    ],
)
def test_in_a_configuration(lint_text: Lint, old: str, new: str, name: str, line: int) -> None:
    more = "per_device_eval_batch_size: 4\n"
    assert _told(lint_text(_YAML + more)) == []
    assert _told(lint_text((_YAML + more).replace(old, new))) == [(name, line)]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("--learning_rate 1e-4", "--learning_rate1e-4", "misspelt-flag"),
        ("1e-4 --num", "1e-4--num", "flag-value-not-accepted"),
        ("--nproc_per_node 8", "--nnodes 1--nproc_per_node 8", "flag-value-not-accepted"),
        ("--learning_rate 1e-4", "--learning_rate\uff1a1e-4", "shell-reads-otherwise"),
        ("epochs 3", "epochs 3\uff0c", "shell-reads-otherwise"),
        ("epochs 3", "epochs None", "impossible-value"),
        ("epochs 3", "epochs 3,", "impossible-value"),
    ],
)
def test_in_a_command(lint_text: Lint, old: str, new: str, name: str) -> None:
    assert _told(lint_text(_RUN, "run.sh")) == []
    found = {one for one, _ in _told(lint_text(_RUN.replace(old, new), "run.sh"))}
    assert name in found


def test_what_looks_like_it_and_is_none(lint_text: Lint) -> None:
    for text in (
        _RUN.replace("output_dir out", "output_dir out--bf16x"),
        _RUN + "echo '训练完成。'\necho done\uff0c\n",
        _RUN.replace("output_dir out", "output_dir '模型，一'"),
        _RUN.replace("--bf16 True", "--adam_beta1 0.9 --adam_beta2 0.95"),
    ):
        assert _told(lint_text(text, "run.sh")) == [], text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{_RUN.replace('1e-4', '$LR')}LR=1e-4\n", 1),
        (f"(LR=1e-4)\n{_RUN.replace('1e-4', '$LR')}", 2),
        (f"echo 1e-4 | read LR\n{_RUN.replace('1e-4', '$LR')}", 2),
        (f"LR=1e-4\n{_RUN.replace('1e-4', '$LR')}", 0),
        (f"for x in 1 2; do\n{_RUN.replace('1e-4', '$LR')}LR=1e-5\ndone\n", 0),
        (f"run() {{\n{_RUN.replace('1e-4', '$LR')}}}\nLR=1e-5\nrun\n", 0),
        (f"source settings.sh\n{_RUN.replace('1e-4', '$LR')}LR=1\n", 0),
        (f"{_RUN.replace('1e-4', '${LR:-1e-4}')}LR=1\n", 0),
    ],
)
def test_variables_that_are_not_there_yet(lint_text: Lint, text: str, line: int) -> None:
    told = _told(lint_text(text, "run.sh"))
    assert told == ([("shell-reads-otherwise", line)] if line else [])
