"""Pairs of answers of which the rejected one is the right one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.runner.registry import all_probes
from medic.session.consultation import Session


def outcome(root: Path, rows: list[dict[str, Any]]) -> list[str]:
    (root / "pref.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    index = load()
    probes = [p for p in all_probes() if p.name == "data"]
    session = Session(index, collect([str(root)], this_host=False, index=index), probes)
    session.look()
    return sorted(h.seen.outcome for h in session.found
                  if h.seen.name in ("preference-pairs", "rejected-is-right"))  # fmt: skip


def pair(n: int, *, turned: bool, **more: Any) -> dict[str, Any]:
    right, wrong = f"the right answer is {n}", f"it may be {n + 1}, or so"
    sides = {"chosen": wrong, "rejected": right} if turned else {"chosen": right, "rejected": wrong}
    return {"prompt": f"question number {n}", **sides, **more}


def test_the_reference_was_rejected(tmp_path: Path) -> None:
    rows = [pair(n, turned=True, gold=f"the right answer is {n}\n") for n in range(60)]
    assert outcome(tmp_path, rows) == ["present", "swapped"]


def test_the_rejected_scores_higher(tmp_path: Path) -> None:
    rows = [pair(n, turned=True, score_chosen=2.0, score_rejected=8.5) for n in range(60)]
    assert outcome(tmp_path, rows) == ["present", "swapped"]


@pytest.mark.parametrize("turned", [0, 10])
def test_some_noise_of_the_labels(tmp_path: Path, turned: int) -> None:
    rows = [pair(n, turned=n < turned, reference=f"the right answer is {n}") for n in range(60)]
    assert outcome(tmp_path, rows) == ["in-order"] * bool(turned)


def test_nothing_tells_which_is_right(tmp_path: Path) -> None:
    assert outcome(tmp_path, [pair(n, turned=True) for n in range(60)]) == []
    rows = [pair(n, turned=True, answer=f"{n}") for n in range(60)]
    assert outcome(tmp_path, rows) == []
