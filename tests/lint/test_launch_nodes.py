"""Launches of several nodes: what starts on the first only, an interface that reaches nobody."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
_JOB = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n"
_RUN = (
    "torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d "
    "--rdzv_endpoint=$HEAD:29500 train.py --lr 1e-4\n"
)


def _told(found: tuple[LintFinding, ...]) -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in found if f.severity != "info"]


def test_only_the_first_node_runs_what_nothing_starts(lint_text: Lint) -> None:
    assert _told(lint_text(_JOB + _RUN, "run.sh")) == [("launch-not-as-allocated", 4)]


@pytest.mark.parametrize(
    "how",
    [
        f"srun {_RUN}",
        f"for n in $(scontrol show hostnames); do ssh $n '{_RUN.strip()}' & done\nwait\n",
        f"CMD='{_RUN.strip()}'\nsrun bash -c \"$CMD\"\n",
        "deepspeed --hostfile hosts train.py --lr 1e-4\n",
        "python prepare.py\n",
    ],
)
def test_what_reaches_the_other_nodes_is_quiet(lint_text: Lint, how: str) -> None:
    names = [f.name for f in lint_text(_JOB + how, "run.sh")]
    assert "launch-not-as-allocated" not in names


def test_a_comment_starts_nothing(lint_text: Lint) -> None:
    assert ("launch-not-as-allocated", 5) in _told(
        lint_text(f"{_JOB}# srun is not needed here\n{_RUN}", "run.sh")
    )


@pytest.mark.parametrize("name", ["NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"])
def test_the_loopback_interface_on_several_nodes(lint_text: Lint, name: str) -> None:
    text = f"{_JOB}export {name}=lo\nsrun {_RUN}"
    assert _told(lint_text(text, "run.sh")) == [("rendezvous-endpoint-wrong", 4)]
    alone = f"export {name}=lo\ntorchrun --nproc_per_node=8 train.py --lr 1e-4\n"
    assert _told(lint_text(alone, "run.sh")) == []


def test_an_address_hides_no_interface(lint_text: Lint) -> None:
    """Two faults of one launch, each at its line."""
    text = (
        "export NCCL_SOCKET_IFNAME=lo\ntorchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 "
        "--master_addr=localhost --master_port=29500 train.py --lr 1e-4\n"
    )
    found = _told(lint_text(text, "run.sh"))
    assert found == [("rendezvous-endpoint-wrong", 1), ("rendezvous-endpoint-wrong", 2)]


def test_short_names_of_a_known_family(lint_text: Lint) -> None:
    found = lint_text("export NCCL_DEBG=INFO\nexport MY_DEBG=1\npython train.py\n", "run.sh")
    assert [(f.name, f.line) for f in found] == [("option-without-effect", 1)]


SSH = (
    "for i in 0 1 2; do\n"
    '  ssh "node$i" "cd $PWD && torchrun --nnodes={nodes} --nproc_per_node=8 {rank} '
    '--master_addr=node0 --master_port=29500 train.py" &\n'
    "done\nwait\n"
)


@pytest.mark.parametrize(
    ("nodes", "rank", "fires"),
    [
        ("3", "--node_rank=0", True),
        ("$N", "--node_rank=1", True),
        ("3", "--node_rank=$i", False),
        ("1", "--node_rank=0", False),
        ("3", "--node_rank=0 --rdzv_backend=c10d", False),  # gives out the ranks itself
    ],
)
def test_one_rank_for_every_host(lint_text: Lint, nodes: str, rank: str, fires: bool) -> None:
    found = lint_text(SSH.format(nodes=nodes, rank=rank), "run.sh")
    told = [f.line for f in found if f.name == "node-rank-missing-or-repeated"]
    assert told == ([2] if fires else [])


def test_one_host_has_one_rank(lint_text: Lint) -> None:
    text = SSH.format(nodes="3", rank="--node_rank=0").replace('"node$i"', "node0")
    assert not [f for f in lint_text(text, "run.sh") if f.name == "node-rank-missing-or-repeated"]
