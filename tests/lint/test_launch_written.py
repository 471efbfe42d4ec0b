"""Commands that are put together: from here-documents, lists of loops, words without dashes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.facts import Command
from medic.lint.found import LintFinding
from medic.syntax import parse

Lint = Callable[..., tuple[LintFinding, ...]]

RLHF = """read -r -d '' training_commands <<EOF
openrlhf.cli.train_dpo \\
   --save_path ./checkpoint \\
   --train_batch_size 256 --micro_train_batch_size 1 \\
   --pretrain some/model \\
   --attn_implementation flash_attention_2 \\
   --packing_samples
EOF
torchrun --standalone --nproc-per-node 8 -m $training_commands
"""
LITGPT = """litgpt pretrain some/model \\
  --data TextFiles \\
  --train.max_tokens 1000000 \\
  --out_dir out/custom
"""
TRAINER = """torchrun --nproc_per_node 4 train.py \\
  --model_name_or_path some/model --output_dir out \\
  --per_device_train_batch_size 2 --learning_rate 1e-4 \\
  --save_strategy steps --save_steps 100 --logging_steps 10 \\
  --save_total_limit 2 --remove_unused_columns False --do_train True \\
  --logging_first_step True --no_remove_unused_columns \\
  --deepspeed ds.json \\
  --report_to none
"""
FAIRSEQ = """fairseq-train data-bin/wiki --task language_modeling --arch transformer_lm \\
  --optimizer adam --lr 0.0005 --lr-scheduler inverse_sqrt \\
  --warmup-updates 4000 --max-tokens 2048 --update-freq 16
"""
LOOP = """for TP in 2 4; do
ARGS+=(
  --micro-batch-size 2
  --lr 6.0e-5
)
torchrun --nproc_per_node 8 pretrain_gpt.py ${ARGS[@]} --train-iters 100 --num-layers 4
done
"""
SOURCED = """export header="torchrun --nproc_per_node 1 -m less.train.train"
export base="--do_train True --save_strategy no \\
--report_to wandb --save_total_limit 2 \\
--weight_decay 0.0 \\
--learning_rate 2e-05"
"""
RENDEZVOUS = """accelerate launch --num_machines 2 --num_processes 16 \\
  --rdzv_conf rdzv_backend=c10d,rdzv_port=0 --machine_rank $RANK train.py --lr 1
"""
LAUNCHED = "torchrun --nnodes 1 --nproc_per_node 2 --master_port 29501 train.py --lr 1\n"


@pytest.mark.parametrize(
    "text", [RLHF, LITGPT, TRAINER, FAIRSEQ, LOOP, LAUNCHED, RENDEZVOUS, SOURCED]
)
def test_as_they_are_nothing_is_wrong(lint_text: Lint, text: str) -> None:
    assert not [f for f in lint_text(text, "run.sh") if f.severity != "info"]


@pytest.mark.parametrize(
    ("text", "old", "new", "line"),
    [
        (RLHF, "flash_attention_2", "flahs_attention_2", 6),
        (RLHF, "--packing_samples", "-packing_samples", 7),
        (RLHF, "--attn_implementation flash_attention_2", "--attn_implementation", 6),
        (RLHF, "--pretrain some", "--pretrian some", 5),
        (LITGPT, "--train.max_tokens 1000000", "--train.max_tokens", 3),
        (LITGPT, "--data TextFiles", "--data", 2),
        (LITGPT, "--out_dir out/custom", "--out_dir", 4),
        (TRAINER, "--report_to none", "--report_to", 8),
        (TRAINER, "--deepspeed ds.json", "--deepspeed", 7),
        (TRAINER, "--logging_first_step", "--logging_first_steps", 6),
        (FAIRSEQ, "optimizer adam", "optimizer adma", 2),
        (FAIRSEQ, "inverse_sqrt", "niverse_sqrt", 2),
        (LOOP, "--lr 6.0e-5", "-lr 6.0e-5", 4),
        (LOOP, "--micro-batch-size 2", "--micro-batch-size", 3),
        (LAUNCHED, "--nnodes 1", "nnodes 1", 1),
        (SOURCED, "--weight_decay", "-weight_decay", 4),
        (SOURCED, "--report_to wandb", "--report_to", 3),
        (LAUNCHED, "--nproc_per_node 2", "nproc_per_node=2", 1),
    ],
)
def test_a_slip_is_told_at_its_line(
    lint_text: Lint, text: str, old: str, new: str, line: int
) -> None:
    assert text.count(old) == 1
    found = [f for f in lint_text(text.replace(old, new), "run.sh") if f.severity != "info"]
    assert [f.line for f in found] == [line]


def commands(text: str) -> tuple[Command, ...]:
    return parse(text.encode(), "run.sh").commands


def values(text: str) -> list[str | None]:
    return [word.value for word in commands(text)[-1].words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("read -r -d '' A <<EOF\n --x 1 \\\n --y $B\nEOF\ntrain $A\n", ["train", "--x", "1", "--y", None]),
        ("read -r -d '' A <<'EOF'\n--x $B\nEOF\ntrain $A\n", ["train", "--x", "$B"]),
        ("read -r A <<EOF\n--x 1\nEOF\ntrain $A\n", ["train", None]),
        ("A=$(cat <<EOF\n--x 1\n--y 2\nEOF\n)\ntrain $A\n", ["train", "--x", "1", "--y", "2"]),
        ("B=3\nA=\"$(cat <<EOF\n--x $B\nEOF\n)\"\ntrain \"$A\"\n", ["train", "--x 3"]),
        ("for i in 1 2; do A+=(--x 1); train ${A[@]}; done\n", ["train", "--x", "1"]),
        ("A=(--y 2)\nfor i in 1 2; do A+=(--x 1); train ${A[@]}; done\n", ["train", None]),
        ("for i in 1 2; do A=(); A+=(--x $i); A=$(f); train ${A[@]}; done\n", ["train", None]),
    ],
)  # fmt: skip
def test_a_variable_holds_what_is_written(text: str, expected: list[str | None]) -> None:
    assert values(text) == expected


def test_a_word_of_a_here_document_knows_its_place() -> None:
    text = "read -r -d '' A <<EOF\n--x 1 \\\n --é 2\nEOF\ntrain $A\n"
    words = commands(text)[-1].words
    assert [(w.raw, w.span.line, w.span.column) for w in words[1:]] == [
        ("--x", 2, 1), ("1", 2, 5), ("--é", 3, 2), ("2", 3, 6),
    ]  # fmt: skip


def test_a_backslash_at_the_end_of_the_file_continues_into_nothing() -> None:
    found = parse(b"train --x 1 \\\n", "run.sh")
    assert not found.problems
    assert [w.value for w in found.commands[0].words] == ["train", "--x", "1"]
