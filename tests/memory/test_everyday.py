"""What users ask most about, on one H200: 7-8B models with LoRA or trained in full, transformers'
Trainer with its own defaults, long sequences, large vocabularies, experts, and sweeps of the sequence
length.

Each row was predicted before it was measured (``predicted``), in two rounds: the second after what the
first had shown was mended. Of the ``test`` half only the peaks were seen, and yet it is not untouched: its
one miss (LoRA without recomputation under autocast, +19%) pointed to a formula that was then changed.
What was right before the measurement is what ``predicted`` tells. ``sweep``: lengths of seven settings,
most of them 128 or 256 tokens apart, each in a process of its own.
"""

from __future__ import annotations

import json
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from medic.facts import MemoryEstimate
from medic.memory.estimate import estimate
from medic.memory.overheads import CONTEXT
from medic.memory.usual import with_usual

HERE = Path(__file__).parent
OF = runpy.run_path(str(HERE / "rows.py"))
ROWS = [json.loads(line) for line in (HERE / "everyday.jsonl").read_text("utf-8").splitlines()]
TOLERANCE = 0.10
HALVES = pytest.mark.parametrize("half", ["build", "test", "sweep"])


@cache
def said(half: str) -> tuple[tuple[dict[str, Any], MemoryEstimate], ...]:
    return tuple((row, now(row)) for row in ROWS if row["half"] == half)


def now(row: dict[str, Any]) -> MemoryEstimate:
    limit = row["limit"] + CONTEXT[1] if row.get("limit") else row["device_total"]
    trained = "trainer" in row
    config = with_usual(OF["trainer_config"](row))[0] if trained else OF["config_of"](row)
    return estimate(config, limit)


def test_there_are_enough_rows_of_each() -> None:
    counts = {half: len(said(half)) for half in ("build", "test", "sweep")}
    assert counts == {"build": 37, "test": 33, "sweep": 63}
    assert all(row["ok"] for row in ROWS)


@HALVES
def test_nearly_all_peaks_are_within_a_tenth(half: str) -> None:
    errors = [abs((e.reserved or 0) / row["peak_reserved"] - 1) for row, e in said(half)]
    assert sum(error > TOLERANCE for error in errors) <= (half == "sweep")
    assert sorted(errors)[len(errors) // 2] < 0.01


@HALVES
def test_every_range_holds_the_peak(half: str) -> None:
    for row, e in said(half):
        assert (e.reserved_low or 0) <= row["peak_reserved"] <= (e.reserved_high or 0)


def test_most_were_right_before_they_were_measured() -> None:
    near = [abs(r["predicted"]["reserved"] / r["peak_reserved"] - 1) <= TOLERANCE for r in ROWS]
    held = [r["predicted"]["low"] <= r["peak_reserved"] <= r["predicted"]["high"] for r in ROWS]
    assert (sum(near), sum(held), len(ROWS)) == (130, 132, 133)


def test_a_jump_between_neighbouring_lengths_is_real() -> None:
    """1.5B, micro batch 4: 128 tokens more take 9 GiB, where a block finds no place any more."""
    some = {
        row["seq"]: (row["peak_reserved"], e.reserved or 0)
        for row, e in said("sweep")
        if (row["hidden"], row["micro"], row["ckpt"]) == (1536, 4, False)
    }
    for jump in (some[2688][i] - some[2560][i] for i in (0, 1)):
        assert jump > 9 * 2**30
    for fall in (some[2816][i] - some[2688][i] for i in (0, 1)):
        assert fall < -2 * 2**30


def test_reentrant_checkpoints_take_what_others_take() -> None:
    pair = [row["peak_reserved"] for row in ROWS if " re=" in row["region"]]
    assert len(pair) == 2
    assert pair[0] == pair[1]
