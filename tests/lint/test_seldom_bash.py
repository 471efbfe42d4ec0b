"""Bash that is right and seldom written: nothing is refused, and what stands behind it is read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding
from medic.syntax import parse

Lint = Callable[..., tuple[LintFinding, ...]]
LAUNCH = "torchrun --nproc_per_node 8 train.py --lr 1e-4\n"
RIGHT = [
    "coproc { cat; }",
    "coproc TB { tensorboard --logdir runs; }",
    "coproc WATCH ( nvidia-smi )",
    "coproc W while true; do nvidia-smi; sleep 5; done",
    "cd x && coproc W if a; then b; fi",
    "coproc tee run.log",
    "time -p { make; }",
    "for ((;;)) { break; }",
    "exec 3<>/dev/tcp/node-0/29500",
    "ls !(a|b) *.@(log|txt)",
    "X=${Y:(-1)}${Y//'/'/_}",
    "N=$((10#$SLURM_NODEID))",
    "if [ $OLD \\< $CUDA ]; then exit 1; fi",
    "case $1 in a) b;& c) d;;& *) e;; esac",
    "make |& tee log; make &>> log; grep a <<< $X",
    "exec {fd}>lock; [[ $X =~ ^(a|b)$ ]] && echo",
    "mapfile -t A < <(scontrol show hostnames)",
    "function f() { time a; }; select x in a b; do break; done",
]


@pytest.mark.parametrize("line", RIGHT)
def test_right_bash_is_read(line: str) -> None:
    document = parse(f"#!/bin/bash\n{line}\n{LAUNCH}".encode(), "run.sh")
    assert not document.problems
    assert any(one.words[:1] and one.words[0].value == "torchrun" for one in document.commands)


@pytest.mark.parametrize(
    "line",
    [
        "coproc TB { tensorboard --logdir runs; ",
        "coproc TB tensorboard; }",
        "for x in a b; { echo $x; done",
        "for ((;;)) { break; } }",
        "if [ $OLD \\< $CUDA ]; exit 1; fi",
        "time -p { make; ",
    ],
)
def test_what_bash_refuses_beside_them(line: str) -> None:
    document = parse(f"#!/bin/bash\n{line}\n{LAUNCH}".encode(), "run.sh")
    assert [one.kind for one in document.problems if one.kind == "refused"]


def test_a_word_that_is_read_over_is_known_of_nobody(lint_text: Lint) -> None:
    text = "#!/bin/bash\nTP=3\nTP=${{TP{}}}\ntorchrun --nproc_per_node 9 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --tensor-model-parallel-size $TP\n"
    for part, fires in (("", True), (":(-1)", False), ("//'/'/_", False)):
        found = [one.name for one in lint_text(text.format(part), "run.sh")]
        assert ("model-not-divisible-by-parallel-size" in found) is fires, part
