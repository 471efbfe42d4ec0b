"""Overrides that are no key=value, words that a missing dash or a blank makes of a flag."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from medic.probes.flags.families import SWITCHES
from medic.probes.flags.key_names import normal
from medic.probes.flags.shared_values import shared_values

from medic.index.knowledge import load
from medic.lint.found import LintFinding

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
        (OWN, "--learning-rate 2e-5", "--learning-rate", VALUE, 6),
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
        (OWN, "--data_path data/a", "--data_path"),
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


# Switches of training scripts that have a parser of their own; no framework's table has them all.
OWN_SWITCHES = """
    lr_decay cosine_decay linear_decay wd_decay layer_decay weight_decay_schedule random_seed
    fixed_seed eval_every_epoch save_every_epoch per_epoch save_last_epoch learn_alpha
    learnable_temperature rope_theta_scaling relative_path absolute_path cosine_steps
    variable_length sample_ratio data_in_folder warmup lr_warmup grad_clip clip_grad
    gradient_clipping clip_grad_norm dropout label_smoothing lr_scheduler cosine save load resume
    auto_resume lora ema amp multi_gpu distributed tensorboard wandb early_stopping
    pretrained profile compile balanced_sampler print_config dist_eval json_file
    from_folder single_file attn_dropout zero_momentum multi_workers spawn_workers
""".split()  # noqa: SIM905


@pytest.mark.parametrize(
    "program",
    [
        "torchrun train.py --batch_size 8",
        "python main.py --lr 1e-4",
        "deepspeed sft.py --learning_rate 1e-4",
        "torchrun run_clm.py --model_name_or_path gpt2 --output_dir out --report_to none",
    ],
)
def test_a_switch_of_a_script_of_ones_own_may_stand_alone(lint_text: Lint, program: str) -> None:
    for sign in "_-":
        names = [name.replace("_", sign) for name in OWN_SWITCHES]
        lines = [f"{program} --{name} --num_workers 2" for name in names]
        told = {f.line for f in lint_text("\n".join(lines), "run.sh") if f.name == VALUE}
        assert [names[line - 1] for line in sorted(told)] == []


def test_names_that_take_a_value_anywhere_are_no_switches() -> None:
    every = list(load().frameworks.values())
    switches = {normal(name) for one in every for name in one.switches} | SWITCHES
    shared = shared_values(every)
    assert {"learning_rate", "lr", "save_steps", "output_dir", "batch_size"} <= shared
    assert shared.isdisjoint(switches | set(OWN_SWITCHES))


@pytest.mark.parametrize("flag", ["--learning-rate", "--lr", "--output_dir", "--save_steps"])
def test_a_flag_that_takes_a_value_anywhere(lint_text: Lint, flag: str) -> None:
    found = lint_text(f"torchrun train.py {flag} --num_workers 2\n", "run.sh")
    assert [f.name for f in found] == [VALUE]


@pytest.mark.parametrize(
    ("launcher", "faults"),
    [
        ("torchrun --data_path data/a --nproc_per_node 2", [MISSPELT]),
        ("deepspeed --micro_train_batch_size 2 --num_gpus 2", [MISSPELT]),
        ("torchrun --rdzv-some-new-timeout 2 --nproc_per_node 2", []),
        ("torchrun --some-later-option 2 --nproc_per_node 2", []),
        ("torchrun --some-later-steps 2 --nproc_per_node 2", []),
        ("torchrun --eval_strategy steps --nproc_per_node 2", [MISSPELT]),
    ],
)
def test_a_flag_of_the_script_before_it(lint_text: Lint, launcher: str, faults: list[str]) -> None:
    found = lint_text(f"{launcher} train.py --output_dir out\n", "run.sh")
    assert [f.name for f in found] == faults


def test_a_variable_may_have_the_name_of_its_flag(lint_text: Lint) -> None:
    text = "a=1\ntorchrun train.py --output_dir o$a --lora_dropout ${lora_dropout} --bf16\n"
    (found,) = lint_text(text + "lora_dropout=0.1\n", "run.sh")
    assert (found.name, found.line) == ("shell-reads-otherwise", 2)
