"""Runs of another script than the laboratory's, on two GPUs with NCCL, each with one fault."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from medic.evaluate import Labelled, judge
from medic.index.knowledge import Index, load

RECORDED = Path(__file__).with_name("recorded_on_gpus")
TRUTH = RECORDED.with_suffix(".tsv")
INDEX: Index = load()
with TRUTH.open(encoding="utf-8", newline="") as file:
    ROWS = [(row["run"], row["cause"]) for row in csv.DictReader(file, delimiter="\t")]


def test_every_recording_has_its_truth() -> None:
    assert sorted(name for name, _ in ROWS) == sorted(p.name for p in RECORDED.iterdir())
    assert not {cause for _, cause in ROWS if cause} - set(INDEX.causes)


@pytest.mark.parametrize(("name", "cause"), ROWS)
def test_a_run_on_gpus(name: str, cause: str) -> None:
    causes = (cause,) if cause else ()
    result = judge(Labelled(name, causes=causes, folder=str(RECORDED / name)), INDEX)
    assert result.right, (result.verdict, result.named[:3])
