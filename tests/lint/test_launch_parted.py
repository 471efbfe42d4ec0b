"""Overrides that are no key=value, words that a missing dash or a blank makes of a flag."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.index import load
from medic.lint import LintFinding
from probes.flags.families import SWITCHES
from probes.flags.value_shapes import takes_value

Lint = Callable[..., tuple[LintFinding, ...]]
SYNTAX, VALUE, MISSPELT = "override-syntax-wrong", "flag-value-not-accepted", "misspelt-flag"

VERL = """python3 -m verl.trainer.main_ppo \\
    data.max_prompt_length=512 \\
    data.max_response_length=1024 \\
    actor_rollout_ref.model.path=some/model \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
    trainer.total_epochs=15 $@
"""
OWN = """python train.py \\
    --batch-size 1 \\
    --rope-theta 1000000 \\
    --data_path data/a \\
    --my-own-switch \\
    --learning-rate 2e-5 \\
    --parallel_mode none
"""
LLAVA = """deepspeed llava/train/train_mem.py \\
    --deepspeed zero3.json \\
    --output_dir ./out/run1 \\
    --data_path data/a.json \\
    --report_to none --save_strategy steps --save_total_limit 1 \\
    --lora_target_modules q_proj v_proj \\
    --learning_rate 2e-5
"""
INNER = """srun bash -c '
torchrun --nproc_per_node=4 \\
  train.py \\
  --output_dir out \\
  --learning_rate 2e-5 \\
  --save_steps 100
'
"""


@pytest.mark.parametrize("text", [VERL, OWN, LLAVA, INNER])
def test_clean_commands(lint_text: Lint, text: str) -> None:
    assert lint_text(text, "run.sh") == ()


@pytest.mark.parametrize(
    ("text", "old", "new", "name", "line"),
    [
        (VERL, "length=512", "length 512", SYNTAX, 2),
        (VERL, "length=512", "length= 512", SYNTAX, 2),
        (VERL, "length=512", "length =512", SYNTAX, 2),
        (VERL, "data.max_prompt", "--data.max_prompt", SYNTAX, 2),
        (VERL, "path=some/model", 'path "some/model"', SYNTAX, 4),
        (OWN, "--rope-theta 1000000", "-rope-theta 1000000", MISSPELT, 3),
        (OWN, "--data_path data/a", "--data_path", VALUE, 4),
        (OWN, "--batch-size 1 \\\n    --rope", "--batch-size 1--rope", VALUE, 2),
        (LLAVA, "out/run1", "out/run 1", VALUE, 3),
        (INNER, "out \\", "out", "command-cut-short", 4),
        (INNER, "out \\\n", "out \\\n  # the rate\n", "command-cut-short", 5),
    ],
)
def test_faults(lint_text: Lint, text: str, old: str, new: str, name: str, line: int) -> None:
    assert old in text
    found = [f for f in lint_text(text.replace(old, new, 1), "run.sh") if f.severity == "error"]
    assert [(f.name, f.line) for f in found] == [(name, line)]


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (VERL, "length=512", "length="),
        (VERL, "$@", "data.x= $EXTRA"),
        (VERL, "data.max_prompt_length=512", "--config-name=mine"),
        (OWN, "--rope-theta 1000000", "-rope-theta 1000000 -lr 1"),
        (LLAVA, "q_proj v_proj", "q_proj output.json"),
        (LLAVA, "--data_path data/a.json", "--data_path data/a.json data/b.json"),
        (LLAVA, "./out/run1", '"./out/run 1"'),
    ],
)
def test_what_may_be_right_is_left_alone(lint_text: Lint, text: str, old: str, new: str) -> None:
    assert old in text
    assert lint_text(text.replace(old, new, 1), "run.sh") == ()


def test_a_command_that_is_cut_hides_no_launcher_flag(lint_text: Lint) -> None:
    text = "accelerate launch \\ \n  --num_processes 8 \\\n  train.py --output_dir out\n"
    assert [f.name for f in lint_text(text, "run.sh")] == ["command-cut-short"]


def test_no_switch_looks_as_if_it_had_a_value() -> None:
    known = {name for one in load().frameworks.values() for name in one.switches} | SWITCHES
    assert len(known) > 200
    assert [name for name in sorted(known) if takes_value(name)] == []


@pytest.mark.parametrize(
    ("launcher", "faults"),
    [
        ("torchrun --data_path data/a --nproc_per_node 2", [MISSPELT]),
        ("deepspeed --micro_train_batch_size 2 --num_gpus 2", [MISSPELT]),
        ("torchrun --rdzv-some-new-timeout 2 --nproc_per_node 2", []),
        ("torchrun --some-later-option 2 --nproc_per_node 2", []),
    ],
)
def test_a_flag_of_the_script_before_it(lint_text: Lint, launcher: str, faults: list[str]) -> None:
    found = lint_text(f"{launcher} train.py --output_dir out\n", "run.sh")
    assert [f.name for f in found] == faults


def test_a_variable_may_have_the_name_of_its_flag(lint_text: Lint) -> None:
    text = "a=1\ntorchrun train.py --output_dir o$a --lora_dropout ${lora_dropout} --bf16\n"
    (found,) = lint_text(text + "lora_dropout=0.1\n", "run.sh")
    assert (found.name, found.line) == ("shell-reads-otherwise", 2)
