"""Loading, the first step, later ones, saving and evaluation against measured runs, predicted before.

``phases.jsonl``: one H200, torch 2.11, transformers 5.17, bitsandbytes 0.50.2; FSDP over 4 to 64 ranks of which one
was there (``measure_phases.py``). Of loading and saving the tensors are compared: what torch holds beyond them is of
the training before.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from medic.memory.estimate import estimate_of
from medic.memory.loading import LOAD, SAVE
from medic.memory.overheads import EVALUATION
from medic.memory.peak import size, step_of
from medic.memory.views import read_setups

HERE = Path(__file__).parent
config_of = runpy.run_path(str(HERE / "rows.py"))["config_of"]
ROWS = [json.loads(line) for line in (HERE / "phases.jsonl").read_text("utf-8").splitlines()]
ALONE = [row for row in ROWS if not row.get("ranks")]
STILL = 0.05


def name(row: dict[str, Any]) -> str:
    shown = ("hidden", "dtype", "optim", "lora", "quant", "mode", "ranks", "load", "save")
    return "-".join(str(row[key]) for key in shown if key in row)


def tensors(row: dict[str, Any], phase: str) -> int:
    """Of the phase, without the CUDA context."""
    step = step_of(read_setups(config_of({**row, "world": row.get("ranks", 1)})).setups[1])
    assert step is not None
    parts = step.phases[phase]
    return size(parts) - parts["context"]


@pytest.mark.parametrize("row", [r for r in ROWS if r["load"] != "twice"], ids=name)
def test_what_loading_takes(row: dict[str, Any]) -> None:
    assert tensors(row, LOAD) == pytest.approx(row["phases"]["load"]["allocated"], rel=STILL)


@pytest.mark.parametrize("row", [r for r in ROWS if r["load"] == "twice"], ids=name)
def test_a_state_dict_beside_the_model_is_one_more_copy(row: dict[str, Any]) -> None:
    twice = 2 * row["phases"]["load"]["held"]
    assert row["phases"]["load"]["allocated"] == pytest.approx(twice, rel=STILL)


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_what_saving_takes(row: dict[str, Any]) -> None:
    assert tensors(row, SAVE) == pytest.approx(row["phases"]["save"]["allocated"], rel=STILL)


def reserved(row: dict[str, Any]) -> dict[str, int]:
    """Of the first step and of all steps."""
    found = estimate_of(read_setups(config_of({**row, "world": row.get("ranks", 1)})))
    assert not found.not_measured
    context = found.parts["context"]
    later = ("forward", "loss", "backward", "optimizer step")
    return {
        "first step": found.phases["first step"] - context,
        "later steps": max(found.phases[name] for name in later) - context,
    }


@pytest.mark.parametrize("phase", ["first step", "later steps"])
def test_steps_of_one_gpu(phase: str) -> None:
    errors = [abs(reserved(row)[phase] / row["phases"][phase]["reserved"] - 1) for row in ALONE]
    assert max(errors) < 0.10
    assert median(errors) < 0.01


def test_a_first_step_that_takes_less_is_told() -> None:
    """Where the moments find no room in it, the first step leaves the card as full as later ones."""
    told = [reserved(row) for row in ALONE]
    assert any(one["first step"] < 0.85 * one["later steps"] for one in told)
    for one, row in zip(told, ALONE, strict=True):
        less = row["phases"]["first step"]["reserved"] / row["phases"]["later steps"]["reserved"]
        assert one["first step"] / one["later steps"] == pytest.approx(less, abs=0.05)


def test_ranges_hold_what_was_measured() -> None:
    for row in ROWS:
        found = estimate_of(read_setups(config_of({**row, "world": row.get("ranks", 1)})))
        most = max(one["reserved"] for one in row["phases"].values())
        if row["load"] != "twice":
            assert (found.reserved_low or 0) <= most <= (found.reserved_high or 0), name(row)


def test_evaluation() -> None:
    rows = [row for row in ROWS if row.get("evaluate")]
    assert len(rows) >= 4
    for row in rows:
        said = (1 + EVALUATION) * tensors(row, "evaluation")
        assert said == pytest.approx(row["phases"]["evaluation"]["reserved"], rel=0.10), name(row)
