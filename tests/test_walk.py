"""A procedure walked: forward, back, to a cause, and resumed after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.commands import main
from medic.errors import UsageError
from medic.index.knowledge import load
from medic.session.walk import Walk, keep, resume

INDEX = load()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIC_STATE", str(tmp_path))


def test_a_walk_leads_to_a_cause_and_back() -> None:
    walk = Walk(INDEX.procedures["lr-range-test"])
    assert walk.step is not None
    assert walk.step.name == "make-runs"
    walk.take("all-ran")
    walk.take("highest-is-best")
    assert walk.step is None
    assert walk.cause == "learning-rate-too-low"
    walk.back()
    assert walk.step is not None
    assert walk.step.name == "compare"
    assert walk.cause == ""


def test_an_unknown_outcome_names_the_nearest() -> None:
    walk = Walk(INDEX.procedures["lr-range-test"])
    with pytest.raises(UsageError, match="all-ran"):
        walk.take("all-run")


def test_a_walk_goes_on_where_it_was_left() -> None:
    walk = resume(INDEX, "smallest-repro")
    walk.take("runs")
    keep(walk)
    again = resume(INDEX, "smallest-repro")
    assert again.trail == [("make-run", "runs")]
    again.take("two-nodes")
    keep(again)
    assert resume(INDEX, "smallest-repro").trail == []


def test_an_unknown_procedure_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="smallest-repro"):
        resume(INDEX, "smallest-rebro")


@pytest.mark.parametrize("name", list(INDEX.procedures))
def test_every_step_can_be_reached_and_every_walk_ends(name: str) -> None:
    procedure = INDEX.procedures[name]
    steps = {s.name: s for s in procedure.steps}
    reached: set[str] = set()
    todo = [procedure.steps[0].name]
    ends = 0
    while todo:
        step = todo.pop()
        if step in reached:
            continue
        reached.add(step)
        for target in steps[step].outcomes.values():
            if target in steps:
                todo.append(target)
            else:
                ends += 1
    assert reached == set(steps)
    assert ends


@pytest.mark.parametrize("asked", [(), ("--list",)])
def test_the_procedures_are_listed(
    asked: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--lang", "en", "walk", *asked]) == 0
    told = capsys.readouterr().out
    assert all(name in told for name in load().procedures)
