"""What /proc tells of ranks whose stacks could not be taken, and looks that are given twice."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.facts import Stacks

from .conftest import Told, observed

SLEEPS, STOPPED, ENDED = "SSSSS", "TTTTT", "SSSZZ"


def look(*states: str, world: int | None = None, pid: int = 90) -> dict[str, Any]:
    rows = [
        {
            "pid": pid + rank, "rank": rank, "local_rank": rank, "world": world or len(states),
            "command": "python train.py", "helpers": [],
            "samples": [{"state": {"letter": c, "rss": 1, "threads": 1, "cpu": 0.0}} for c in letters],
        }
        for rank, letters in enumerate(states)
    ]  # fmt: skip
    local = world or len(states)
    return {"schema": "medic.attach/1", "seconds": 8.0, "local_world": local, "host": "n1",
            "ranks": rows, "gpus": []}  # fmt: skip


@pytest.mark.parametrize(
    ("states", "world", "expected"),
    [
        ((SLEEPS, STOPPED), None, {"training-hangs": "present", "busy-rank": "stopped"}),
        ((STOPPED, STOPPED), None, {"training-hangs": "present", "busy-rank": "stopped"}),
        ((SLEEPS, "SSTSS"), None, {}),
        ((SLEEPS, "ttttt"), None, {}),  # held by a debugger, py-spy among them
        (
            (SLEEPS, ENDED),
            None,
            {"training-hangs": "present", "collective-ranks": "silent-rank-died"},
        ),
        ((SLEEPS,), 2, {"training-hangs": "present", "collective-ranks": "silent-rank-died"}),
        ((SLEEPS, SLEEPS), None, {}),
        ((ENDED, ENDED), None, {}),  # the job is over
    ],
)
def test_states_alone(
    tmp_path: Path,
    told: Callable[..., Told],
    states: tuple[str, ...],
    world: int | None,
    expected: Told,
) -> None:
    path = tmp_path / "look.json"
    path.write_text(json.dumps(look(*states, world=world)), "utf-8")
    assert told(path) == expected


@pytest.mark.parametrize(("other", "count"), [({}, 2), ({"host": "n2"}, 4)])
def test_a_later_look_takes_the_place_of_one_at_the_same_ranks(
    tmp_path: Path, other: dict[str, str], count: int
) -> None:
    for age, (name, content) in enumerate(
        [("b.json", look(SLEEPS, SLEEPS)), ("a.json", look(SLEEPS, STOPPED) | other)]
    ):
        (tmp_path / name).write_text(json.dumps(content), "utf-8")
        os.utime(tmp_path / name, (1_700_000_000 + age, 1_700_000_000 + age))
    stacks = observed(tmp_path).facts[Stacks]
    assert len(stacks.ranks) == count
    assert stacks.ranks[-1].states == STOPPED
