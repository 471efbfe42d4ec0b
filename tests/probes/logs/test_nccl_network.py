"""Sockets between several nodes, as NCCL's lines tell."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import nccl_network

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
