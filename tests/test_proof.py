"""Whether the run after a change shows that it helped: only where it came far enough."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from medic.case.collect import Case
from medic.facts import Curve, GivenFile, LogHits, Series, Source, StepLine
from medic.index.knowledge import Index, load
from medic.probe import Finding, Probe
from medic.records import replace
from medic.runner.evidence import Evidence, Observed, Run
from medic.session.consultation import Session
from medic.session.proof import proof
from medic.session.reached import Reached, reached
from medic.session.recheck import Applied

HANG, SLOW = "collective-timeout", "gpu-starved"


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


def run(index: Index, *facts: Any, symptom: str = "", line: int = 0) -> Session:
    """A session over these facts, in which a probe of logs saw a symptom, if one is named."""
    seen = Finding(symptom, "present", {}, Source("train.log", line)) if symptom else None
    observed = [Observed(seen, "logs", "exact")] if seen else []
    runs = {"logs": Run(Probe("logs", (), lambda _: iter(())), "found")}
    evidence = Evidence(observed, {type(f): f for f in facts}, runs=runs)
    return Session(index, Case(), evidence=evidence)


def log(last: int | None, **more: Any) -> LogHits:
    """A log of steps 1 to ``last``, one a line."""
    steps = tuple(StepLine(n, {}, Source("train.log", n)) for n in range(1, (last or 0) + 1))
    return LogHits(steps=steps, last_step=last, **more)


def speed(value: float, n: int = 60) -> Curve:
    steps = tuple(range(n))
    return Curve({"tokens_per_s": Series("tokens_per_s", "train.log", steps, (value,) * n, steps)})


def applied(before: Session, symptom: str, remedy: str = "", **more: Any) -> Applied:
    came = reached(before, [symptom])
    return Applied("c1", remedy, "", 0.0, symptoms=(symptom,), reached=came, **more)


@pytest.mark.parametrize(
    ("last", "ended", "state", "says"),
    [
        (None, "unknown", "nothing", "no step in the new log; it showed at step 22"),
        (5, "unknown", "early", "step 5; it showed at step 22"),
        (22, "unknown", "early", "step 22; it showed at step 22"),
        (20, "well", "early", "step 20; it showed at step 22"),
        (23, "unknown", "early", "the remedy asks for 20 steps more: step 42"),
        (42, "unknown", "proved", "step 42, past step 22"),
        (30, "well", "proved", "step 30, past step 22"),
    ],
)
def test_a_hang_is_mended_beyond_its_step(
    index: Index, last: int | None, ended: Any, state: str, says: str
) -> None:
    name = next(
        n
        for n, r in index.remedies.items()
        if HANG in r.worked_if.gone and r.worked_if.after_steps == 20
    )
    one = applied(run(index, log(22), symptom=HANG, line=40), HANG, name)
    shown = proof(run(index, log(last, ended=ended)), one)
    assert (shown.state, says in shown.told.en) == (state, True), shown.told.en


def test_the_step_is_that_of_the_fault_not_the_last(index: Index) -> None:
    before = run(index, log(300), symptom="loss-nan", line=22)
    assert reached(before, ["loss-nan"]).at == 22


@pytest.mark.parametrize(
    ("value", "n", "state", "says"),
    [
        (3020.0, 60, "still", "tokens/s 3,020 (before: 3,014)"),
        (3020.0, 6, "early", "tokens/s 3,020 over only 6 values (before: 3,014)"),
        (5210.0, 60, "proved", "tokens/s 3,014 -> 5,210"),
        (2900.0, 60, "still", "tokens/s 2,900 (before: 3,014)"),
    ],
)
def test_a_slow_run_is_mended_by_its_speed(
    index: Index, value: float, n: int, state: str, says: str
) -> None:
    one = applied(run(index, log(60), speed(3014.0), symptom=SLOW), SLOW)
    shown = proof(run(index, log(n), speed(value, n)), one)
    assert (shown.state, says in shown.told.en) == (state, True), shown.told.en


def test_a_speed_that_is_no_longer_logged_is_no_proof(index: Index) -> None:
    one = applied(run(index, log(60), speed(3014.0), symptom=SLOW), SLOW)
    assert proof(run(index, log(90)), one).state == "early"


def test_the_time_of_a_step_of_another_size_is_not_compared(index: Index) -> None:
    came = Reached(at=60, levels=(("step_time", 2.0, 60),), by=("logs",))
    steps = tuple(range(60))
    series = Series("step_time", "train.log", steps, (1.0,) * 60, steps)
    new = run(index, log(60), Curve({"step_time": series}))
    one = replace(applied(new, SLOW), reached=came)
    assert proof(new, one).state == "proved"
    assert proof(new, replace(one, added=("micro_batch_size: 4",))).state == "early"


def test_what_showed_the_fault_must_be_there_again(index: Index) -> None:
    one = replace(applied(run(index, log(60)), SLOW), reached=Reached(at=60, by=("gpus",)))
    assert "nothing of the new run shows" in proof(run(index, log(90)), one).told.en


@pytest.mark.parametrize(
    ("new", "state"),
    [
        (log(None), "nothing"),
        (log(None, ended="well"), "proved"),
        (log(1), "proved"),
        (log(None, first_time=0.0, last_time=900.0), "proved"),
        (log(None, first_time=0.0, last_time=300.0), "early"),
    ],
)
def test_a_failure_before_the_first_step(index: Index, new: LogHits, state: str) -> None:
    before = run(index, log(None, first_time=0.0, last_time=600.0), symptom=HANG)
    assert proof(run(index, new), applied(before, HANG)).state == state


def test_it_is_kept_as_json(index: Index) -> None:
    one = applied(run(index, log(60), speed(3014.0), symptom=SLOW), SLOW)
    assert Applied.of(json.loads(json.dumps(asdict(one)))) == one


def rate(value: float, last: int = 60) -> Curve:
    steps = tuple(range(1, last + 1))
    return Curve({"lr": Series("lr", "train.log", steps, (value,) * last, steps)})


def test_a_fault_of_the_whole_curve_is_mended_where_the_next_is_as_long(index: Index) -> None:
    """Such a fault shows at the last step: no run of the same length comes past it."""
    probe = Probe("curves", (), lambda _: iter(()), needs=(Curve,))
    symptom = "loss-plateau"

    def of(last: int, by: Probe) -> Session:
        session = run(index, log(last), rate(1e-4, last))
        session.evidence.runs["curves"] = Run(by, "found")
        return session

    came = Reached(at=60, last=60, by=("curves",))
    one = replace(applied(of(60, probe), symptom), reached=came)
    assert proof(of(60, probe), one).state == "proved"
    assert proof(of(59, probe), one).state == "early"
    assert proof(of(60, probe), replace(one, reached=replace(came, last=90))).state == "early"
    assert proof(of(60, replace(probe, needs=())), one).state == "early"


def test_the_step_is_read_where_the_fault_told_its_own(index: Index) -> None:
    """A metrics file that counts otherwise does not bring a log past the step of the fault."""
    files = (GivenFile("train.log", "train.log", "log"), GivenFile("m.jsonl", "m.jsonl", "metrics"))
    before = run(index, log(20), symptom=HANG, line=20)
    before.case = Case(files=files)
    one = applied(before, HANG)
    assert one.reached is not None
    assert (one.reached.at, one.reached.kind) == (20, "log")
    steps = tuple(range(90))
    counted = Curve({"loss": Series("loss", "m.jsonl", steps, (1.0,) * 90, steps)})
    after = run(index, log(1), counted)
    after.case = Case(files=files)
    assert proof(after, one).state == "early"
    after = run(index, counted)
    after.case = Case(files=files)
    assert proof(after, one).state == "proved"
