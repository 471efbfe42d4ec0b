"""Launches of one script that meet on one port, and node ranks that are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
PORT, RANK = "launches-share-a-port", "node-rank-missing-or-repeated"


def fired(lint_text: Lint, text: str) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in lint_text(text, "run.sh") if f.name in (PORT, RANK)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("torchrun --master_port 29501 a.py &\ntorchrun --master_port 29501 b.py &\nwait\n", 2),
        (
            "torchrun --nproc_per_node 2 a.py > log 2>&1 &\npython -m torch.distributed.run b.py\n",
            2,
        ),
        (
            "torchrun --rdzv_endpoint=localhost:29400 a.py &\n"
            "torchrun --rdzv_endpoint=localhost:29400 b.py\n",
            2,
        ),
        ("torchrun --master_port ${P:-1} a.py &\ntorchrun --master_port ${P:-1} b.py\n", 2),
        # In one branch, and behind branches that are closed.
        (
            'if [ "${1}" ]; then echo "if"; fi # if\nif [ $2 ]; then\n  case $3 in a) ls ;; esac\n'
            "  torchrun a.py &\n  for i in 1; do ls {1..2}; done\n  torchrun b.py\nfi\n",
            6,
        ),
        ("case $1 in a) X=${Y} ;; *) { ls; } ;; esac\ntorchrun a.py &\ntorchrun b.py\n", 3),
        ("(\n  torchrun a.py\n) &\n(\n  torchrun b.py\n) > log 2>&1 &\nwait\n", 5),
        ("{ cd x; torchrun a.py; } &\ntorchrun b.py\n", 2),
        ("P=29600\ndeepspeed --master_port $P a.py &\ndeepspeed --master_port=$P b.py\n", 3),
    ],
)
def test_two_launches_on_one_port(lint_text: Lint, text: str, line: int) -> None:
    assert fired(lint_text, text) == [(PORT, line)]


@pytest.mark.parametrize(
    "text",
    [
        "torchrun --master_port 29501 a.py\ntorchrun --master_port 29501 b.py\n",
        "torchrun --master_port 29501 a.py &\nwait\ntorchrun --master_port 29501 b.py\n",
        "torchrun --master_port 29501 a.py &\ntorchrun --master_port 29502 b.py\n",
        "torchrun --standalone a.py &\ntorchrun --standalone b.py\n",
        "ssh one torchrun a.py &\nssh two torchrun a.py\n",
        "torchrun --master_port $A a.py &\ntorchrun --master_port $B b.py\n",
        "torchrun --nnodes 2 --node_rank 1 --master_addr h --master_port 1 a.py\n",
        # Port 0 is any that is free: torchrun's manual for several jobs on one host.
        "torchrun --rdzv_backend c10d --rdzv_endpoint=localhost:0 a.py &\n"
        "torchrun --rdzv_backend c10d --rdzv_endpoint=localhost:0 b.py\n",
        "torchrun --master_port 0 a.py &\ntorchrun --master_port 0 b.py\n",
        "torchrun --master_port ${A:-1} a.py &\ntorchrun --master_port ${B:-1} b.py\n",
        'if [ "$1" = a ]; then\n  torchrun a.py &\nelse\n  torchrun b.py &\nfi\nwait\n',
        'if [ "$1" = a ]; then\n  torchrun a.py &\nelif [ $2 ]; then\n  torchrun b.py\nfi\n',
        "if [ $1 ]; then\n  torchrun a.py &\nfi\nif [ ! $1 ]; then\n  torchrun b.py\nfi\n",
        'case "$1" in\n  a) torchrun a.py &\n    ;;\n  b) torchrun b.py &\n    ;;\nesac\nwait\n',
        'one() {\n  torchrun a.py &\n}\nfunction two {\n  torchrun b.py\n}\n"$1"\n',
        "(\n  torchrun a.py\n  torchrun b.py\n) &\nwait\n",
        "(\n  torchrun a.py\n)\n(\n  torchrun b.py\n) &\n",
        "( torchrun a.py ) &\nwait\n( torchrun b.py ) &\n",
        "P=29500\n( torchrun --master_port $P a.py ) &\n( torchrun --master_port $((P + 1)) b.py ) &\n",
        "[ $1 = a ] && torchrun a.py &\n[ $1 = b ] && torchrun b.py\n",
    ],
)
def test_ports_that_are_free(lint_text: Lint, text: str) -> None:
    assert fired(lint_text, text) == []


def test_the_repair_takes_a_port_that_is_free(lint_text: Lint) -> None:
    text = "P=29501\ntorchrun --master_port $P a.py &\ntorchrun --master_port=$P b.py\n"
    (found,) = [f for f in lint_text(text, "run.sh") if f.name == PORT]
    assert found.fix is not None
    assert found.shown == (("", "--master_port=$P", "--master_port=29502"),)


@pytest.mark.parametrize(
    "words",
    [
        "--nnodes=${NNODES:-1} --node_rank=${NODE_RANK:-1}",
        "--nnodes=${NNODES:-1} --node_rank=1",
        "--nnodes=1 --node_rank=${NODE_RANK:-1}",
    ],
)
def test_a_rank_of_a_default_that_may_be_set(lint_text: Lint, words: str) -> None:
    assert fired(lint_text, f"torchrun {words} --master_addr h --master_port 1 a.py\n") == []


@pytest.mark.parametrize("rank", ["2", "7"])
def test_a_rank_that_no_node_has(lint_text: Lint, rank: str) -> None:
    text = f"torchrun --nnodes 2 --node_rank {rank} --master_addr h --master_port 1 a.py\n"
    assert fired(lint_text, text) == [(RANK, 1)]


JOB = "export MASTER_ADDR=10.0.0.1 WORLD_SIZE=2\n"


@pytest.mark.parametrize(
    "text",
    [
        JOB
        + "MASTER_PORT=29534 RANK=0 python a.py &\nMASTER_PORT=30534 RANK=1 python a.py &\nwait\n",
        "\nssh n0 torchrun --nnodes=2 --node_rank=0 --master_addr=n0 --master_port=29501 a.py &\n"
        "ssh n1 torchrun --nnodes=2 --node_rank=1 --master_addr=n0 --master_port=29502 a.py\n",
    ],
)
def test_ranks_of_one_job_at_different_ports(lint_text: Lint, text: str) -> None:
    found = [(f.name, f.line) for f in lint_text(text, "run.sh")]
    assert ("rendezvous-endpoint-wrong", 3) in found


@pytest.mark.parametrize(
    "text",
    [
        JOB + "MASTER_PORT=29534 RANK=0 python a.py &\nMASTER_PORT=29534 RANK=1 python a.py &\n",
        # Two jobs.
        JOB + "MASTER_PORT=29534 RANK=0 python a.py &\nMASTER_PORT=30534 RANK=1 python b.py &\n",
        JOB + "MASTER_PORT=1024 RANK=0 python a.py &\nMASTER_PORT=1025 RANK=0 python a.py &\n",
        "WORLD_SIZE=1 MASTER_PORT=1024 RANK=0 python a.py &\n"
        "WORLD_SIZE=1 MASTER_PORT=1025 RANK=1 python a.py &\n",
    ],
)
def test_ranks_at_one_port_or_of_several_jobs(lint_text: Lint, text: str) -> None:
    assert "rendezvous-endpoint-wrong" not in {f.name for f in lint_text(text, "run.sh")}
