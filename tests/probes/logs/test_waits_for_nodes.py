"""A launcher of several nodes that waits for the others."""

from __future__ import annotations

import time
from typing import Any

import pytest
from medic.probes.logs import waits_for_nodes

from medic.facts import LogHits
from medic.records import replace
from medic.run_config import Origin, RunConfig, Value

STARS = "*****************************************"
WARNING = "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default"
WORKER = "2026-03-01 10:00:09,100 INFO loading the tokenizer"


def asked(read: Any, nodes: int, *more: str, age: float = 7200.0) -> dict[str, Any]:
    head = "W0301 10:00:00.461000 10963 torch/distributed/run.py:851] "
    case = read("\n".join([head + STARS, head + WARNING, head + STARS, *more]) + "\n")
    case.look.facts[RunConfig] = RunConfig(values={"nodes": Value(nodes, Origin("given"))})
    logs = replace(case[LogHits], last_time=time.time() - age)
    case.look.facts[LogHits] = logs
    found: dict[str, Any] = case.ask(waits_for_nodes.PROBE)
    return found


def test_no_worker_of_two_nodes_begins(read: Any) -> None:
    found = asked(read, 2)
    assert found["rendezvous-address"].outcome == "only-the-launcher"
    assert found["rendezvous-failed"].outcome == "present"


@pytest.mark.parametrize(
    ("nodes", "more", "age"), [(1, (), 7200.0), (2, (WORKER,), 7200.0), (2, (), 20.0)]
)
def test_one_node_or_a_worker_or_a_start_just_now(
    read: Any, nodes: int, more: tuple[str, ...], age: float
) -> None:
    assert not asked(read, nodes, *more, age=age)
