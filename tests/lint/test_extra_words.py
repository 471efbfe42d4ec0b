"""Words too many in a command: the parser refuses them, wherever it is known."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
VALUE, SYNTAX, TWICE = "flag-value-not-accepted", "override-syntax-wrong", "flag-given-twice"

TRAINER = """deepspeed llava/train/train_mem.py \\
    --deepspeed zero3.json \\
    --output_dir ./out/run1 \\
    --report_to none --save_strategy steps --save_total_limit 1 \\
    --lora_target_modules q_proj v_proj \\
    --lr_scheduler_type cosine \\
    --learning_rate 2e-5
"""
MEGATRON = """torchrun --nproc_per_node 8 pretrain_gpt.py \\
    --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 \\
    --max-position-embeddings 1024 --micro-batch-size 4 --train-iters 100 --lr 1e-4 \\
    --recompute-granularity selective --recompute-modules core_attn moe \\
    --use-flash-attn \\
    --bf16
"""
VERL = """python3 -m verl.trainer.main_ppo \\
    data.max_prompt_length=512 \\
    data.max_response_length=1024 \\
    actor_rollout_ref.model.path=some/model \\
    trainer.total_epochs=15 $@
"""
OWN = """python train.py --lr 1e-4 new --epochs 3 --batch_size 8 --hidden_sizes 128 256
"""
FIRST = """torchrun --nnodes 1 --nproc_per_node 8 \\
    --master_port 29501 train.py --learning_rate 1e-4
"""


@pytest.mark.parametrize("text", [TRAINER, MEGATRON, VERL, OWN, FIRST])
def test_nothing_too_many(lint_text: Lint, text: str) -> None:
    assert [f for f in lint_text(text, "run.sh") if f.severity != "info"] == []


@pytest.mark.parametrize(
    ("text", "old", "new", "name", "line"),
    [
        (TRAINER, "2e-5", "2e-5 new", VALUE, 7),
        (TRAINER, "cosine", "cosine tuned", VALUE, 6),
        (TRAINER, "_limit 1", "_limit 1 8", VALUE, 4),
        (TRAINER, "./out/run1", "./out/run1 x", VALUE, 3),
        (MEGATRON, "--hidden-size 768", "--hidden-size 768 x", VALUE, 2),
        (MEGATRON, "--use-flash-attn", "--use-flash-attn new", VALUE, 5),
        (MEGATRON, "--use-flash-attn", "--use-flash-attn 1", VALUE, 5),
        (VERL, "=512", "=512 tuned", SYNTAX, 2),
        (FIRST, "--nnodes 1", "--nnodes 1 new", VALUE, 1),
        (FIRST, "--nnodes 1", "--nnodes 1 --nnodes 2", TWICE, 1),
    ],
)
def test_one_word_too_many(
    lint_text: Lint, text: str, old: str, new: str, name: str, line: int
) -> None:
    assert old in text
    found = lint_text(text.replace(old, new, 1), "run.sh")
    assert (name, line) in [(f.name, f.line) for f in found]


@pytest.mark.parametrize(
    ("old", "new", "fixed"), [("2e-5", "2e-5 new", True), ("_limit 1", "_limit 1 8", False)]
)
def test_it_is_taken_out_where_it_can_be_no_value(
    lint_text: Lint, old: str, new: str, *, fixed: bool
) -> None:
    (found,) = [f for f in lint_text(TRAINER.replace(old, new), "run.sh") if f.name == VALUE]
    assert (found.fix is not None and found.fix.patch is not None) is fixed


def test_a_flag_of_the_launcher_and_of_the_script_are_two(lint_text: Lint) -> None:
    text = "accelerate launch --num_processes 8 train.py --num_processes 4 --lr 1e-4\n"
    assert [f.name for f in lint_text(text, "run.sh") if f.name == TWICE] == []


UNKNOWN = """torchrun --nproc_per_node 8 my_own.py --root /data/x --arch vit_b --seed 1 \\
    --num_epochs 10 --knn 3 --alpha 0.5 --mixed_precision bf16 --depth 12
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("--num_epochs 10", "--num_epochs 10 tuned", True),
        ("bf16", "bf16 x", True),
        ("--num_epochs 10", "--num_epochs 10 20", False),  # may be a list
        ("--num_epochs 10", "--num_epochs 10 train", False),  # may be what to do
        ("--num_epochs 10", "--num_epochs 10 /data/y", False),  # may be the data
        ("--arch vit_b", "--arch vit_b x", False),
        ("--depth 12", "--depth 12 cifar", False),  # the last word may be an argument
    ],
)
def test_of_a_parser_that_nobody_knows_it_is_supposed(
    lint_text: Lint, old: str, new: str, *, told: bool
) -> None:
    found = [f for f in lint_text(UNKNOWN.replace(old, new), "run.sh") if f.name == VALUE]
    assert [f.severity for f in found] == (["warning"] if told else [])


def test_two_words_without_a_flag_are_arguments(lint_text: Lint) -> None:
    text = UNKNOWN.replace("--num_epochs 10", "--num_epochs 10 tuned").replace(
        "my_own.py", "x.py fit"
    )
    assert [f for f in lint_text(text, "run.sh") if f.name == VALUE] == []


@pytest.mark.parametrize(
    ("flag", "meant"),
    [
        ("--output_dirs /out", "--output_dir"),
        ("--lr_scheduler_types cosine", "--lr_scheduler_type"),
        ("--pretrained_model_name_or_paths $MODEL", "--pretrained_model_name_or_path"),
        ("--output_dirs /a /b", ""),
        ("--data_dirs /a", ""),
        ("--model_names a", ""),
        ("--lr_scheduler_types mine", ""),
    ],
)
def test_no_run_has_several_of_these(lint_text: Lint, flag: str, meant: str) -> None:
    text = UNKNOWN.replace("--depth 12", flag)
    found = [f for f in lint_text(text, "run.sh") if f.name == "misspelt-flag"]
    assert [meant in f.message.en for f in found] == ([True] if meant else [])
