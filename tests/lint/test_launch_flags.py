"""Flags of a framework's own program: unknown, spelt otherwise, without or with a value."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MISSPELT, SWITCH, VALUE = "misspelt-flag", "boolean-flag-with-value", "flag-value-not-accepted"

MEGATRON = """torchrun --nproc_per_node 8 pretrain_gpt.py \\
  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 \\
  --seq-length 2048 --max-position-embeddings 2048 \\
  --micro-batch-size 2 --global-batch-size 64 \\
  --lr 1e-4 --min-lr 1e-5 \\
  --lr-decay-style cosine \\
  --train-iters 1000 --clip-grad 1.0 \\
  --bf16 --swiglu \\
  --save-interval 100
"""
FACTORY = """llamafactory-cli train --stage sft --do_train \\
  --model_name_or_path some/model --dataset mine --template default \\
  --finetuning_type lora --lora_rank 8 \\
  --cutoff_len 2048 \\
  --per_device_train_batch_size 2 --learning_rate 1e-4 \\
  --output_dir out --plot_loss
"""
RLHF = """deepspeed --module openrlhf.cli.train_sft \\
  --train_batch_size 64 --micro_train_batch_size 2 \\
  --zero_stage 2 --bf16 --max_epochs 1 \\
  --pretrain some/model --save_path out
"""
OWN = """torchrun --nproc_per_node 4 my_train.py \\
  --model_name_or_path some/model --output_dir out \\
  --per_device_train_batch_size 2 --learning_rate 1e-4 \\
  --save_strategy steps --save_steps 100 --report_to none --logging_steps 10 \\
  --my_own_dropout 0.1 --val_steps 50
"""
MUTATIONS = [
    (MEGATRON, "--seq-length", "--seq-lenght", MISSPELT, 3),
    (MEGATRON, "--micro-batch-size 2", "--micro_batch_size 2", MISSPELT, 4),
    (MEGATRON, "--clip-grad 1.0", "--max-grad-norm 1.0", MISSPELT, 7),
    (MEGATRON, "--bf16", "--bf16 true", SWITCH, 8),
    (MEGATRON, "style cosine", "style", VALUE, 6),
    (MEGATRON, "--save-interval 100", "--save-interval", VALUE, 9),
    (FACTORY, "--cutoff_len", "--cutof_len", MISSPELT, 4),
    (FACTORY, "--cutoff_len", "--max_seq_length", MISSPELT, 4),
    (FACTORY, "--lora_rank", "--lora_r", MISSPELT, 3),
    (FACTORY, "rate 1e-4", "rate", VALUE, 5),
    (RLHF, "--train_batch_size", "--train-batch-size", MISSPELT, 2),
    (RLHF, "--bf16", "--bf16 True", SWITCH, 3),
    (RLHF, "--max_epochs", "--max_epoches", MISSPELT, 3),
    (OWN, "--learning_rate", "--learing_rate", MISSPELT, 3),
    (OWN, "--learning_rate", "--lr", MISSPELT, 3),
    (OWN, "--save_steps 100", "--save_steps", VALUE, 4),
]


@pytest.mark.parametrize("text", [MEGATRON, FACTORY, RLHF, OWN])
def test_clean_commands_are_silent(lint_text: Lint, text: str) -> None:
    found = lint_text(text, "run.sh")
    assert [f for f in found if f.name in (MISSPELT, SWITCH, VALUE)] == []


@pytest.mark.parametrize(("text", "old", "new", "name", "line"), MUTATIONS)
def test_a_wrong_flag_is_told_at_its_line(
    lint_text: Lint, text: str, old: str, new: str, name: str, line: int
) -> None:
    assert old in text
    found = lint_text(text.replace(old, new), "run.sh")
    told = [(f.name, f.line) for f in found if f.severity != "info"]
    assert (name, line) in told
    assert [one for one in told if one[0] in (MISSPELT, SWITCH, VALUE)] == [(name, line)]


def test_a_beginning_stands_for_its_flag(lint_text: Lint) -> None:
    found = lint_text(OWN.replace("--save_steps", "--save_step"), "run.sh")
    assert [f for f in found if f.name == MISSPELT] == []
    told = [f for f in found if f.name == "argument-deprecated"]
    assert [(f.line, f.severity) for f in told] == [(4, "info")]


def test_a_script_of_its_own_may_have_its_own_names(lint_text: Lint) -> None:
    text = "python t.py --leaning_rates 1e-4 2e-4 --epochs 3 --output_dir out --batch_size 8\n"
    assert [f for f in lint_text(text, "run.sh") if f.name == MISSPELT] == []


LAUNCHERS = [
    ("torchrun --nproc_per_node 8 --master_prt 29500 train.py --x 1\n", 1),
    ("torchrun --nproc-pernode=8 train.py --x 1\n", 1),
    ("torchrun --nproc_per_node 8 \\\n  --learning_rate 1e-4 train.py --x 1\n", 2),
    ("accelerate launch --main_proces_port 29501 train.py --x 1\n", 1),
    ("deepspeed --num_gpus 8 \\\n  --hostfil hosts --master_adr a train.py --x 1\n", 2),
]


@pytest.mark.parametrize(("text", "line"), LAUNCHERS)
def test_flags_before_the_script_are_the_launchers(lint_text: Lint, text: str, line: int) -> None:
    found = [f for f in lint_text(text, "run.sh") if f.severity != "info"]
    assert [(f.name, f.line) for f in found] == [(MISSPELT, line)]


@pytest.mark.parametrize(
    "text",
    [
        "torchrun --nproc_per 8 --tee 3 --role r --local-ranks-filter 0 train.py --x 1\n",
        "accelerate launch --gradient_accumulation_steps 4 --use_cpu --zero3_init_flag true t.py\n",
        "deepspeed --autotuning tune --launcher openmpi --launcher_args '-x A' train.py --x 1\n",
        "srun --ntasks-per-nod=1 torchrun --nproc_per_node 8 train.py --x 1\n",
    ],
)
def test_rarer_flags_of_launchers_are_known(lint_text: Lint, text: str) -> None:
    assert [f for f in lint_text(text, "run.sh") if f.name == MISSPELT] == []


def test_a_file_of_another_program_is_not_judged(lint_text: Lint) -> None:
    borrowed = {"learning_rate": 1e-4, "gradient_checkpointing": True, "output_dir": "o",
                "max_train_steps": 100, "lora_rank": 4, "lr_scheduler": "constant"}  # fmt: skip
    own = {f"painter_{name}": 1 for name in ("a", "b", "c", "d", "e", "f", "g")}
    assert [f.name for f in lint_text(json.dumps({**borrowed, **own}), "config.json")] == []


def test_a_configuration_of_hydra_reads_numbers_as_such(lint_text: Lint) -> None:
    text = "optimizer:\n  {}\n  lr: 1e-05\n  weight_decay: 0.1\nbatch_size: 8\n"
    silent = lint_text(text.format("_target_: torch.optim.AdamW"), "config.yaml")
    assert [f.name for f in silent if f.name == "number-read-as-text"] == []
    told = lint_text(text.format("name: adamw"), "config.yaml")
    assert [(f.name, f.line) for f in told if f.severity != "info"] == [("number-read-as-text", 3)]


MEGATRON = (
    "torchrun --nproc_per_node=8 {program} --num-layers 24 --hidden-size 2048 "
    "--num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 "
    "--micro-batch-size 4 --global-batch-size 64 --train-iters 1000 --lr 1e-4 --min-lr 1e-5 "
    "--lr-decay-style cosine --clip-grad 1.0 --weight-decay 0.1 --bf16 --save ck "
    "--save-interval 100 --data-path d --vocab-file v --merge-file m {more}\n"
)


@pytest.mark.parametrize(
    ("program", "more", "fires"),
    [
        ("pretrain_gpt.py", "--foobar 3", True),
        ("pretrain_gpt.py", "", False),
        ("pretrain_gpt.py", "--foobar 3 --barfoo 4", False),  # a fork has more than one
        ("my_train.py", "--foobar 3", False),
    ],
)
def test_one_name_that_no_release_has(
    lint_text: Lint, program: str, more: str, fires: bool
) -> None:
    found = lint_text(MEGATRON.format(program=program, more=more), "run.sh")
    told = [f.severity for f in found if "no release of Megatron-LM" in f.message.en]
    assert told == (["info"] if fires else [])


def test_a_parser_whose_source_is_given_has_its_own_names(lint_text: Lint) -> None:
    source = (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--foobar')\n"
        "args = p.parse_known_args()\n"
    )
    text = MEGATRON.format(program="pretrain_gpt.py", more="--foobar 3")
    found = lint_text(text, "run.sh", {"pretrain_gpt.py": source})
    assert not [f for f in found if "no release of Megatron-LM" in f.message.en]


@pytest.mark.parametrize("joint", [" ", " \\\n  "])
def test_two_switches_that_exclude_each_other_have_a_place(lint_text: Lint, joint: str) -> None:
    text = MEGATRON.replace("--bf16 ", f"--bf16{joint}--fp16 ")
    found = [one for one in lint_text(text, "run.sh") if one.name == "conflicting-values"]
    assert {one.line for one in found} == {text[: text.index("--fp16")].count("\n") + 1}
    assert all(one.column for one in found)
