"""Steps that were predicted before they were measured, on two H200 and one H100.

``predicted`` is what was said then; nothing was looked at between. Settings were drawn at random
over what people train with; ``limit`` is what the process may reserve, as a smaller card would.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from medic.memory.estimate import estimate
from medic.memory.overheads import CONTEXT

HERE = Path(__file__).parent
config_of = runpy.run_path(str(HERE / "rows.py"))["config_of"]
ROWS = [json.loads(line) for line in (HERE / "fresh.jsonl").read_text("utf-8").splitlines()]
RAN = [row for row in ROWS if row["ok"]]
TOLERANCE, SHARE = 0.10, 0.90


def now(row: dict[str, Any]) -> dict[str, int]:
    found = estimate(config_of(row), row["limit"] + CONTEXT[1])
    assert not found.not_measured
    return {
        "reserved": found.reserved or 0,
        "low": found.reserved_low or 0,
        "high": found.reserved_high or 0,
    }


@pytest.fixture(scope="module", params=["said then", "said now"])
def said(request: pytest.FixtureRequest) -> list[tuple[dict[str, Any], dict[str, int]]]:
    then = request.param == "said then"
    return [(row, row["predicted"] if then else now(row)) for row in ROWS]


def test_there_are_enough_rows_of_every_kind() -> None:
    assert len(RAN) >= 60
    modes = {row.get("mode", "") for row in RAN}
    assert modes >= {"fsdp1", "fsdp2", "ddp", "zero1", "zero2", "zero3", "tp", "sp", "pp", "cp"}


def test_most_peaks_are_within_a_tenth(said: list[tuple[dict[str, Any], dict[str, int]]]) -> None:
    near = [abs(p["reserved"] / r["peak_reserved"] - 1) <= TOLERANCE for r, p in said if r["ok"]]
    assert sum(near) / len(near) >= SHARE


def test_most_ranges_hold_the_peak(said: list[tuple[dict[str, Any], dict[str, int]]]) -> None:
    held = [p["low"] <= r["peak_reserved"] <= p["high"] for r, p in said if r["ok"]]
    assert sum(held) / len(held) >= SHARE


def test_what_runs_out_of_memory_is_told_from_what_does_not(
    said: list[tuple[dict[str, Any], dict[str, int]]],
) -> None:
    assert sum(not r["ok"] for r, _ in said) >= 8
    wrong = [r for r, p in said if (p["reserved"] > r["limit"]) is r["ok"]]
    assert not wrong
