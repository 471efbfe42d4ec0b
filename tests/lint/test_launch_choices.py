"""Scripts whose caller chooses: each arm of a ``case`` or an ``if`` is a launch of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding
from medic.syntax import parse

Lint = Callable[..., tuple[LintFinding, ...]]
SIZES, BATCH = "parallel-sizes-exceed-world", "batch-not-divisible"
SCRIPT = """#!/bin/bash
{head}
torchrun --nproc_per_node 8 pretrain_gpt.py --tensor-model-parallel-size $TP --lr 3e-4 \\
  --num-layers $LAYERS --hidden-size 4096 --num-attention-heads 32 --micro-batch-size 1 \\
  --global-batch-size {batch} --seq-length 4096 --max-position-embeddings 4096 --train-iters 1000
"""
CASE = """MODEL=$1
case "$MODEL" in
  7b|7B) TP=1; LAYERS=32 ;;
  13b) TP={tp}; LAYERS=40 ;;
  *) echo "no $MODEL"; exit 1 ;;
esac"""
IF = """if [ "$MODEL" = 7b ]; then
  TP=1; LAYERS=32
elif [[ $MODEL == "13b" ]]; then
  TP={tp}; LAYERS=40
else
  TP=8; LAYERS=80
fi"""


def _told(found: tuple[LintFinding, ...]) -> dict[str, str]:
    return {f.name: f.message.en for f in found if f.severity != "info"}


@pytest.mark.parametrize("head", [CASE, IF])
def test_each_arm_is_right(lint_text: Lint, head: str) -> None:
    assert _told(lint_text(SCRIPT.format(head=head.format(tp=2), batch=512), "run.sh")) == {}


@pytest.mark.parametrize("head", [CASE, IF])
def test_a_fault_of_one_arm_says_which(lint_text: Lint, head: str) -> None:
    found = lint_text(SCRIPT.format(head=head.format(tp=3), batch=512), "run.sh")
    told = _told(found)
    assert told.pop(SIZES).startswith("with MODEL=13b: ")
    assert told == {}
    (zh,) = (f.message.zh for f in found if f.name == SIZES)
    assert zh.startswith("当 MODEL=13b 时：")


def test_a_fault_of_every_arm_is_told_once_without(lint_text: Lint) -> None:
    head = CASE.format(tp=1)
    told = _told(lint_text(SCRIPT.format(head=head, batch=511), "run.sh"))
    assert told == {BATCH: "global batch 511 is not divisible by 1 x 8"}


def test_arms_are_not_mixed(lint_text: Lint) -> None:
    head = "case $1 in\n a) TP=1; N=9 ;;\n b) TP=9; N=8 ;;\nesac\nLAYERS=32"
    text = SCRIPT.format(head=head, batch=512 * 9).replace("_node 8", "_node $N")
    told = _told(lint_text(text, "run.sh"))
    assert told[SIZES].startswith("with $1=b: ")
    assert "world size 8" in told[SIZES]


@pytest.mark.parametrize(
    ("head", "fires"),
    [
        ("MODEL=${1:-7b}\n", False),  # the default decides
        ("MODEL=${1:-13b}\n", True),
        ("MODEL=13b\n", True),
        ("MODEL=${1:-none}\n", True),  # the arm that ends the script is no launch
        ("read MODEL\n", True),
        ("for MODEL in 7b; do\n", False),
    ],
)
def test_what_decides(lint_text: Lint, head: str, fires: bool) -> None:
    end = "\ndone" if " do\n" in head else ""
    body = CASE.format(tp=3).replace("MODEL=$1\n", head)
    told = _told(lint_text(SCRIPT.format(head=body, batch=512) + end, "run.sh"))
    assert (SIZES in told) is fires
    labelled = "none" in head or "read" in head
    assert not fires or told[SIZES].startswith("with MODEL=13b: ") is labelled


def test_what_a_command_says_is_a_choice_of_the_machine(lint_text: Lint) -> None:
    head = "case $(hostname -s) in\n gpu-a*) TP=3 ;;\n gpu-b*) TP=8 ;;\nesac\nLAYERS=32"
    told = _told(lint_text(SCRIPT.format(head=head, batch=512), "run.sh"))
    assert told[SIZES].startswith("with $(hostname -s)=gpu-a*: ")


def test_two_questions_of_one_variable_are_answered_alike(lint_text: Lint) -> None:
    head = CASE.format(tp=2) + "\ncase $MODEL in 7b) N=8 ;; 13b) N=7 ;; esac"
    text = SCRIPT.format(head=head, batch=56).replace("_node 8", "_node $N")
    assert _told(lint_text(text, "run.sh"))[SIZES].startswith("with MODEL=13b: ")


def test_a_repair_stays_where_it_stands_in_the_arm(lint_text: Lint) -> None:
    head = CASE.format(tp=1).replace("LAYERS=40", 'LAYERS=40; MORE="--weight-decai 0.1"')
    text = SCRIPT.format(head=head, batch=512).replace("--lr 3e-4", "--lr 3e-4 $MORE")
    (found,) = (f for f in lint_text(text, "run.sh") if f.severity == "error")
    assert found.message.en.startswith("with MODEL=13b: ")
    assert found.fix is not None


@pytest.mark.parametrize(
    "text",
    [
        "while [ $# -gt 0 ]; do case $1 in --tp) TP=$2; shift ;; *) shift ;; esac; done\n",
        'f() { case $1 in a) TP=1 ;; b) TP=2 ;; esac; }\nf "$X"\n',
        "case $1 in a) TP=1 ;& b) TP=2 ;; esac\n",
        "case $1 in a) X=1 ;; b) X=2 ;; esac\n",
        "case $1 in $A) TP=1 ;; $B) TP=2 ;; esac\n",
    ],
)
def test_what_is_no_choice(text: str) -> None:
    whole = f"#!/bin/bash\n{text}torchrun train.py --tp $TP\n"
    assert parse(whole.encode(), "run.sh").choices == ()


def test_no_more_than_eight() -> None:
    arms = "".join(f" m{n}) TP={n} ;;\n" for n in range(20))
    text = f"case $1 in\n{arms}esac\ntorchrun train.py --tp $TP\n"
    assert len(parse(text.encode(), "run.sh").choices) == 8


def test_arguments_of_a_function_end_with_it() -> None:
    text = (
        'run() { local size=$1; shift; echo "$1"; }\nrun 7b\n'
        "case $1 in 7b) TP=1 ;; 13b) TP=2 ;; esac\ntorchrun train.py --tp $TP\n"
    )
    document = parse(text.encode(), "run.sh")
    assert [one.pattern for one in document.choices] == ["7b", "13b"]
    assert document.commands[-1].words[-1].value is None
