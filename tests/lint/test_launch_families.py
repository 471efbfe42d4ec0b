"""Flags of scripts whose parser is known by the other flags: dashes, slips, another's names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
MISSPELT, VALUE = "misspelt-flag", "flag-value-not-accepted"

TRAINER = """torchrun --nproc_per_node 4 my/train_mem.py \\
  --deepspeed ds.json --model_name_or_path some/model --my_own 3 \\
  --bf16 True --output_dir out --num_train_epochs 2 \\
  --per_device_train_batch_size 2 --gradient_accumulation_steps 4 \\
  --learning_rate 2e-5 --warmup_steps 100 --max_grad_norm 1.0 \\
  --mm_projector_type mlp --save_steps 100 --do_train \\
  --logging_steps 10
"""
CHAT = """deepspeed main.py \\
  --data_path some/set other/set --data_split 2,4,4 \\
  --per_device_train_batch_size 8 --learning_rate 1e-5 \\
  --num_train_epochs 4 --gradient_accumulation_steps 2 \\
  --num_warmup_steps 10 --lr_scheduler_type cosine \\
  --zero_stage 2 --seed 1 --print_loss --output_dir out
"""
SWIFT = """megatron sft --model some/model --dataset some/set \\
  --tuner_type lora --micro_batch_size 1 --global_batch_size 16 \\
  --lr 1e-4 --min_lr 1e-5 --max_epochs 1 --max_length 2048
"""
RLHF = """ray job submit -- python3 -m openrlhf.cli.train_ppo_ray \\
  --actor.adam.lr 1e-6 --critic.adam.lr 1e-5 \\
  --eval.steps 10 --data.input_key text
"""
AXOLOTL = """axolotl train config.yml --deepspeed ds.json --launcher torchrun -- --nproc_per_node=2
"""
JOBS = """gantry run --gpus 8 -- torchrun --nproc_per_node 8 run_clm.py \\
  --do_train --learning_rate 1e-4 --output_dir out
"""
PYTHON = """"$PYTHON" -m torch.distributed.run --nproc_per_node 8 train.py --x 1
"""
TEXT = """if [ -n "$ONE" ]; then
  LAUNCHER="torchrun --nproc_per_node 8"
else
  LAUNCHER="torchrun --nproc_per_node 8 --master_port 1234"
fi
$LAUNCHER train.py --x 1
"""
VENV = """.venv/bin/python .venv/bin/deepspeed --master_port 29000 main.py --x 1
"""
MEGATRON = """python pretrain_own.py \\
  --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 \\
  --max-position-embeddings 2048 --micro-batch-size 2 --clip-grad 1.0 \\
  --lr 1e-4 --min-lr 1e-5 --train-iters 100 --save-interval 100 --bf16 --lr-decay-style cosine
"""
CLEAN = [TRAINER, CHAT, SWIFT, RLHF, AXOLOTL, JOBS, PYTHON, TEXT, VENV, MEGATRON]
MUTATIONS = [
    (TRAINER, "--bf16 True", "bf16 True", 3),
    (TRAINER, "--deepspeed ds.json", "deepspeed ds.json", 2),
    (TRAINER, "--learning_rate 2e-5", "learning_rate=2e-5", 5),
    (TRAINER, "--logging_steps", "logging_steps", 7),
    (TRAINER, "--num_train", "-num_train", 3),
    (TRAINER, "--num_train_epochs", "--num_train_epohs", 3),
    (TRAINER, "--mm_projector_type", "--mm_projctor_type", 6),
    (TRAINER, "--do_train", "--do_tran", 6),
    (TRAINER, "--output_dir", "--OutputDir", 3),
    (TRAINER, "--max_grad_norm", "--clip_grad", 5),
    (TRAINER, "--warmup_steps", "--num_warmup_steps", 5),
    (CHAT, "--num_warmup_steps", "--warmup_steps", 5),
    (CHAT, "--num_train_epochs", "--max_epochs", 4),
    (CHAT, "--data_split 2,4,4", "data_split 2,4,4", 2),
    (CHAT, "--seed", "-seed", 6),
    (SWIFT, "--micro_batch_size", "--micro_batch_szie", 2),
    (RLHF, "--critic.adam.lr", "--critic.adam.learning_rate", 2),
    (RLHF, "--eval.steps", "--eval.max_steps", 3),
    (RLHF, "--data.input_key text", "data.input_key text", 3),
    (AXOLOTL, "--deepspeed", "--deepspeeed", 1),
    (AXOLOTL, "--deepspeed ds.json", "deepspeed ds.json", 1),
    (AXOLOTL, "--nproc_per_node", "--nproc_per_ndoe", 1),
    (JOBS, "--nproc_per_node", "--nproc_pr_node", 1),
    (JOBS, "--learning_rate", "--learning_raet", 2),
    (PYTHON, "--nproc_per_node", "--nproc_er_node", 1),
    (PYTHON, "--nproc_per_node", "-nproc_per_node", 1),
    (TEXT, "--master_port", "--mastr_port", 4),
    (VENV, "--master_port", "--masster_port", 1),
    (MEGATRON, "--train-iters", "train-iters", 4),
    (MEGATRON, "--clip-grad", "--clip-grda", 3),
]
OWN = "python train_own.py --width 3 --depth 4 --rate 0.1 "


@pytest.mark.parametrize("text", CLEAN)
def test_clean_commands_are_silent(lint_text: Lint, text: str) -> None:
    assert [f for f in lint_text(text, "run.sh") if f.name in (MISSPELT, VALUE)] == []


@pytest.mark.parametrize(("text", "old", "new", "line"), MUTATIONS)
def test_a_wrong_flag_is_told_at_its_line(
    lint_text: Lint, text: str, old: str, new: str, line: int
) -> None:
    assert old in text
    found = lint_text(text.replace(old, new, 1), "run.sh")
    assert [(f.name, f.line) for f in found if f.name == MISSPELT] == [(MISSPELT, line)]


@pytest.mark.parametrize(
    "more",
    [
        "--num_train_epoch_counts 3",  # a script of its own may call it so
        "--do_val",
        "--fields weight_decay 0.1",  # a value, and one more
        "--metric learning_rate",
        "-lr 3",
        "learning_rate=3 depth=4",
    ],
)
def test_a_parser_that_is_not_known_may_have_any_flag(lint_text: Lint, more: str) -> None:
    assert [f for f in lint_text(f"{OWN}{more}\n", "run.sh") if f.name == MISSPELT] == []


@pytest.mark.parametrize(
    "more", ["--do_val", "--test_steps 3", "--max_train_tokens 5", "--lora_x 1"]
)
def test_own_flags_beside_those_of_the_trainer_are_no_slips(lint_text: Lint, more: str) -> None:
    text = TRAINER.rstrip("\n") + f" {more}\n"
    assert [f for f in lint_text(text, "run.sh") if f.name == MISSPELT] == []


LOOP = (
    "torchrun --nproc_per_node 4 cli/train.py --output_dir out --init_ckpt a --data_path d \\\n"
    "  --train_steps 1000 --eval_steps 10 --save_steps 250 --log_steps 1 --use_flash_attn true \\\n"
    "  --deepspeed_config ds.json\n"
)


@pytest.mark.parametrize("other", ["--deepspeed_config ds.json", "--report_to none", ""])
def test_names_that_any_loop_has_do_not_show_the_trainers_parser(
    lint_text: Lint, other: str
) -> None:
    text = LOOP.replace("--deepspeed_config ds.json", other)
    assert [f.name for f in lint_text(text, "run.sh") if f.name == MISSPELT] == []


def test_a_name_between_complete_flags_is_a_flag(lint_text: Lint) -> None:
    found = lint_text(f"{OWN}weight_decay 0.1 --width 3\n", "run.sh")
    assert [f.name for f in found if f.name == MISSPELT] == [MISSPELT]


def test_megatron_swift_reads_its_own_names(lint_text: Lint) -> None:
    found = lint_text(SWIFT.replace("--lr 1e-4", "--lr -1e-4"), "run.sh")
    assert [(f.name, f.line) for f in found if f.severity == "error"] == [("impossible-value", 3)]


WORDS = [
    ("python train_own.py --lr_scheduler cosnie --width 3\n", 1),
    (
        "python run_clm.py --do_train --save_steps 3 --lr_scheduler_type cosnie --logging_steps 1\n",
        1,
    ),
    ("python train_own.py --precision fb16 --width 3\n", 1),
    ("megatron sft --model m --tuner_type loar --micro_batch_size 1 --lr 1e-4\n", 1),
]


@pytest.mark.parametrize(("text", "line"), WORDS)
def test_slips_of_words_that_any_script_takes(lint_text: Lint, text: str, line: int) -> None:
    assert [(f.name, f.line) for f in lint_text(text, "run.sh") if f.name == VALUE] == [
        (VALUE, line)
    ]
    right = text.replace("cosnie", "my_cosine").replace("fb16", "bf16").replace("loar", "lora")
    right = right.replace("_type my_cosine", "_type cosine")
    assert [f for f in lint_text(right, "run.sh") if f.name == VALUE] == []
