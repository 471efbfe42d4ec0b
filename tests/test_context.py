"""What the settings tell of a run's parallelism, and which causes that rules out."""

from __future__ import annotations

from typing import Any

import pytest

from medic.beliefs.conditions import applies
from medic.beliefs.context import context_of
from medic.facts import Counted, LogHits, RankStack, Source, Stacks
from medic.index.knowledge import load
from medic.run_config import Origin, RunConfig, Value

OWN = Origin("given")


@pytest.mark.parametrize(
    ("stated", "fits"),
    [
        ({"tensor_parallel_size": 4, "world_size": 8}, False),  # wants one hardware queue
        ({"tensor_parallel_size": 4, "fsdp": True, "world_size": 8}, True),
        ({"zero_stage": 3, "world_size": 8}, True),
        ({"zero_stage": 1, "tensor_parallel_size": 4, "world_size": 8}, False),
        ({"world_size": 8}, True),  # not known
    ],
)
def test_one_hardware_queue_hurts_what_gathers(stated: dict[str, Any], fits: bool) -> None:
    config = RunConfig({name: Value(value, OWN) for name, value in stated.items()})
    cause = load().causes["one-hardware-queue"]
    assert applies(cause, context_of({RunConfig: config})) is fits


@pytest.mark.parametrize(
    ("last", "phase"),
    [
        (39, "first-steps"),
        (Counted(39), None),  # lines of a loss: each may be of many steps
        (Counted(39, about=39), "first-steps"),
        (Counted(139), "steady"),
    ],
)
def test_counted_lines_are_not_the_first_steps(last: int, phase: str | None) -> None:
    assert context_of({LogHits: LogHits(last_step=last)}).facts.get("phase") == phase


@pytest.mark.parametrize(("world", "fits"), [(2, False), (4, True), (None, True)])
def test_nothing_stands_between_nodes_of_which_there_is_one(world: int | None, fits: bool) -> None:
    ranks = tuple(RankStack(90 + r, r, "train.py", (), (), Source()) for r in range(2))
    context = context_of({Stacks: Stacks(ranks, world_size=world)})
    assert applies(load().causes["firewall-between-nodes"], context) is fits
