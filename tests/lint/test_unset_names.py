"""Names that only the script can set: lists, names in small letters, the one of many."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
UNSET, CUT = "unset-variable-takes-flag", "command-cut-short"

SCRIPT = """#!/bin/bash
SEQ=1024
gpus=8
MODEL_ARGS=(--num-layers 12 --hidden-size 768 --num-attention-heads 12)
TRAIN_ARGS=(--micro-batch-size 4 --train-iters 100)
BACKEND_ARGS=(--bf16)
nodes=(one two)
world=$(($gpus * 2))
head=${nodes[0]}
name=${head##*/}
torchrun --nnodes $world pretrain_gpt.py "${MODEL_ARGS[@]}" "${TRAIN_ARGS[@]}" \\
    "${BACKEND_ARGS[@]}" --seq-length $SEQ --max-position-embeddings $SEQ --save $name
"""
TRAIN = "TRAIN_ARGS=(--micro-batch-size 4 --train-iters 100)\n"


def _told(found: tuple[LintFinding, ...]) -> list[int]:
    return [f.line for f in found if f.name == UNSET]


def test_all_set(lint_text: Lint) -> None:
    assert _told(lint_text(SCRIPT, "run.sh")) == []


@pytest.mark.parametrize(
    ("gone", "line"),
    [("gpus=8\n", 7), ("nodes=(one two)\n", 8), (TRAIN, 10), ("name=${head##*/}\n", 11)],
)
def test_one_is_forgotten(lint_text: Lint, gone: str, line: int) -> None:
    assert gone in SCRIPT
    assert _told(lint_text(SCRIPT.replace(gone, ""), "run.sh")) == [line]


def test_a_list_of_nearly_that_name(lint_text: Lint) -> None:
    text = SCRIPT.replace('"${BACKEND_ARGS[@]}"', '"${BAKCEND_ARGS[@]}"')
    found = [f for f in lint_text(text, "run.sh") if f.name == UNSET]
    assert [f.line for f in found] == [12]
    assert "BACKEND_ARGS is meant" in found[0].message.en


@pytest.mark.parametrize(
    "line",
    [
        'echo "$later"',
        "source env.sh",
        "echo ${EXTRA_ARGS[@]}",
        "python $ROOT/tools.py",
        "awk '{print $last}' log",
    ],
)
def test_what_may_be_set_elsewhere(lint_text: Lint, line: str) -> None:
    assert _told(lint_text(f"{SCRIPT}{line}\n", "run.sh")) == []


def test_a_script_that_reads_others_may_get_its_lists_there(lint_text: Lint) -> None:
    assert _told(lint_text(SCRIPT.replace(TRAIN, "source more.sh\n"), "run.sh")) == []


HEREDOC = """set -x
read -r -d '' training_commands <<EOF
openrlhf.cli.train_sft \\
   --max_len 2048 \\
   --dataset some/data \\
   --pretrain some/model
EOF
ARGS="
   --log-interval 1 \\
   --eval-iters 10 \\
   --save-interval 10
"
PYTHONPATH=. \\
torchrun --nproc_per_node 8 train.py $ARGS
deepspeed --module $training_commands
"""


@pytest.mark.parametrize("line", [4, 10, 13])
def test_a_blank_behind_a_backslash_of_a_text(lint_text: Lint, line: int) -> None:
    assert [f for f in lint_text(HEREDOC, "run.sh") if f.name == CUT] == []
    lines = HEREDOC.split("\n")
    lines[line - 1] += " "
    found = [f.line for f in lint_text("\n".join(lines), "run.sh") if f.name == CUT]
    assert found == [line]


def test_a_byte_that_is_no_utf8(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_bytes(b"# d\xe9part\ntorchrun train.py --lr 1e-4 \\ \n  --bf16\n")
    report = lint(collect([str(file)]), load())
    assert [(f.name, f.line) for f in report.findings] == [(CUT, 2)]
    assert [n.en for n in report.not_read] == [
        "byte 0xe9 is no UTF-8: the script was read without such bytes"
    ]


ONE = """#!/bin/bash
export OMP_NUM_THREADS=8
mkdir -p "runs/${run_name}"
torchrun --nproc_per_node 2 train.py a.yaml --save_folder="runs/${run_name}"
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (ONE, [3]),
        (ONE.replace("export", "run_name=a\nexport"), []),
        (ONE.replace("#!/bin/bash", "# a part of a script"), []),
        (ONE.replace("run_name", "RUN_NAME"), []),
        (ONE.replace("#!/bin/bash\n", "#!/bin/bash\nsource ./names.sh\n"), []),
        (ONE.replace("runs/${run_name}", "runs/a", 1), []),
    ],
)
def test_the_only_name_of_a_script(lint_text: Lint, text: str, lines: list[int]) -> None:
    assert _told(lint_text(text, "run.sh")) == lines


SOURCED = """#!/bin/bash
source $WORK/start-prod
{sets}
torchrun --nnodes 1 pretrain_gpt.py --seq-length {reads} --max-position-embeddings 2048 --bf16
"""


@pytest.mark.parametrize(
    ("sets", "reads", "lines"),
    [
        ("SEQ_LENGTH=2048", "$SEQ_LEN", [4]),
        ("NUM_HEADS=16", "$NHEADS", [4]),
        ("SEQ_LEN=2048", "$SEQ_LEN", []),
        ("export SEQ_LENGTH=2048", "$SEQ_LEN", []),  # read by a program
        ("SEQ_LENGTH=2048\necho $SEQ_LENGTH", "$SEQ_LEN", []),  # and the other one is sourced
        ("SEQ_START=0", "$SEQ_LEN", []),
    ],
)
def test_another_name_of_what_is_set(
    lint_text: Lint, sets: str, reads: str, lines: list[int]
) -> None:
    text = SOURCED.format(sets=sets, reads=reads)
    assert sorted({*_told(lint_text(text, "run.sh"))}) == lines


COMMENTED = """#!/bin/bash
{head}
MODEL=/job/model
# DATA=/job/data
STEPS=100
# OLD=1
torchrun --nproc_per_node 8 train.py --model $MODEL --data $DATA --steps $STEPS
# --old $OLD
"""


def test_what_is_commented_out_is_not_set(lint_text: Lint) -> None:
    assert _told(lint_text(COMMENTED.format(head="set -e"), "run.sh")) == [7]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# DATA=/job/data", "# DATA=/job/data is set by the queue"),
        ("# DATA=/job/data\n", "\n# DATA=/job/data\n\n"),  # a note of its own
        ("# DATA=/job/data", "# DATA=/job/data\n: ${DATA:?}"),
        ("$DATA", "$RANK"),
        ("# DATA=/job/data", "DATA=/job/data"),
    ],
)
def test_what_a_caller_is_told_to_set(lint_text: Lint, old: str, new: str) -> None:
    assert _told(lint_text(COMMENTED.format(head="set -e").replace(old, new), "run.sh")) == []
