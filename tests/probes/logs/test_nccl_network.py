"""Sockets between several nodes, as NCCL's lines tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from medic.probes.logs import nccl_network

from medic.evaluate import Labelled, judge
from medic.index.knowledge import load
from medic.run_config import Origin, RunConfig, Value


def lines(host: str, network: str) -> str:
    return "".join(f"{host}:4{r}:5{r} [{r}] NCCL INFO Using network {network}\n" for r in range(2))


def of_nodes(number: int) -> RunConfig:
    return RunConfig({"nodes": Value(number, Origin("given"))})


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (lines("n01", "Socket") + lines("n02", "Socket"), "sockets-between-nodes"),
        (lines("n01", "IB") + lines("n02", "IB"), "usual"),
        (lines("n01", "Socket"), "usual"),  # one node has no use for it
        ("step 1 loss 3.0\n", None),
    ],
)
def test_the_network_between_nodes(read: Any, text: str, outcome: str | None) -> None:
    found = read(text).ask(nccl_network.PROBE).get("nccl-network")
    assert (found.outcome if found else None) == outcome


@pytest.mark.parametrize(
    ("network", "nodes", "outcome"),
    [("Socket", 4, "sockets-between-nodes"), ("Socket", 1, "usual"), ("IB", 4, "usual")],
)
def test_the_log_of_one_node_of_several(read: Any, network: str, nodes: int, outcome: str) -> None:
    found = read(lines("n01", network), facts=[of_nodes(nodes)]).ask(nccl_network.PROBE)
    assert found["nccl-network"].outcome == outcome


def told(host: str, words: str) -> str:
    return f"{host}:41:51 [0] NCCL INFO {words}\n"


TWO = lines("n01", "Socket") + lines("n02", "Socket")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (told("n01", "NCCL_IB_HCA set by environment to mlx5_0") + TWO, "sockets-though-rdma-told"),
        (told("n01", "NCCL_IB_DISABLE set by environment to 0.") + TWO, "sockets-though-rdma-told"),
        ("hca_id:\tmlx5_0\n" + TWO, "sockets-though-rdma-told"),
        (told("n01", "NCCL_IB_DISABLE set by environment to 1.") + TWO, "switched-off"),
        (
            told("n01", "NCCL_SOCKET_IFNAME set by environment to eth0") + TWO,
            "sockets-between-nodes",
        ),
        # One node has no use for RDMA, and the device may serve the others.
        (told("n01", "NCCL_IB_HCA set by environment to mlx5_0") + lines("n01", "Socket"), "usual"),
        (told("n01", "NCCL_IB_DISABLE set by environment to 1.") + lines("n01", "Socket"), "usual"),
    ],
)
def test_sockets_and_what_the_environment_asks_for(read: Any, text: str, outcome: str) -> None:
    assert read(text).ask(nccl_network.PROBE)["nccl-network"].outcome == outcome


@pytest.mark.parametrize(
    ("script", "verdict"),
    [
        ("export NCCL_IB_HCA=mlx5_0,mlx5_1\n", "likely"),
        ("export NCCL_IB_DISABLE=1\n", "healthy"),  # a note: the machines may have none
        ("export NCCL_DEBUG=INFO\n", "healthy"),
    ],
)
def test_a_run_over_sockets(tmp_path: Path, script: str, verdict: str) -> None:
    steps = "".join(f"step {n}/60 loss={6 - n * 0.05:.4f} lr=3.000e-04\n" for n in range(1, 61))
    (tmp_path / "train.log").write_text(TWO + steps + "training finished\n")
    (tmp_path / "launch.sh").write_text(script + "torchrun --nnodes=2 --node_rank=$R train.py\n")
    (tmp_path / "config.yaml").write_text(
        "train: {micro_batch_size: 4, lr: 0.0003, max_steps: 60}\n"
    )
    found = judge(Labelled("run", folder=str(tmp_path)), load())
    assert found.verdict == verdict
    assert verdict == "healthy" or found.named[0] == "rdma-not-used"
