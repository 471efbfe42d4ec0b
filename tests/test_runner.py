"""Probes side by side: limits, failures, order, what may be told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from medic.case.collect import Case
from medic.index.knowledge import load
from medic.probe import Finding, Probe, Skip
from medic.runner.crew import WORKERS, Crew
from medic.runner.evidence import Evidence
from medic.runner.run import observe

INDEX = load()


@dataclass(frozen=True)
class First:
    number: int


@dataclass(frozen=True)
class Second:
    number: int


def probe(name: str, run: Callable[[Any], Iterator[Any]], **more: Any) -> Probe:
    return Probe(name=name, run=run, **{"tells": (), **more})


def look_at(*probes: Probe, cancel: threading.Event | None = None) -> Evidence:
    return observe(Case(), INDEX, probes, cancel=cancel)


def test_facts_flow_in_the_order_of_needs() -> None:
    def make(look: Any) -> Iterator[Any]:
        yield First(1)

    def more(look: Any) -> Iterator[Any]:
        yield Second(look.fact(First).number + 1)

    found = look_at(
        probe("b", more, needs=(First,), gives=(Second,)), probe("a", make, gives=(First,))
    )
    assert found.facts[Second] == Second(2)


def test_a_missing_fact_is_a_skip_that_names_it() -> None:
    run = look_at(probe("b", lambda look: iter(()), needs=(First,))).runs["b"]
    assert run.state == "skipped"
    assert run.skips == [Skip(needs=run.skips[0].needs)]
    assert run.skips[0].needs.en == "First"


def test_one_failure_leaves_the_rest() -> None:
    def broken(look: Any) -> Iterator[Any]:
        raise ZeroDivisionError("inside")
        yield

    def fine(look: Any) -> Iterator[Any]:
        yield First(1)

    found = look_at(probe("broken", broken), probe("fine", fine, gives=(First,)))
    assert found.runs["broken"].state == "failed"
    assert "inside" in found.runs["broken"].error
    assert First in found.facts


def test_a_hung_probe_is_given_up_at_its_limit() -> None:
    release = threading.Event()

    def hang(look: Any) -> Iterator[Any]:
        release.wait(20)
        yield First(1)

    start = time.monotonic()
    found = look_at(probe("hang", hang, limit_seconds=0.2))
    assert time.monotonic() - start < 10
    assert found.runs["hang"].state == "failed"
    assert found.runs["hang"].error == "time limit"
    release.set()


def test_what_was_given_up_in_one_case_is_no_part_of_the_next() -> None:
    release, ended = threading.Event(), threading.Event()

    def hang(look: Any) -> Iterator[Any]:
        release.wait(20)
        yield First(1)
        ended.set()

    def wait(look: Any) -> Iterator[Any]:
        release.set()
        ended.wait(20)
        yield First(2)

    with Crew() as crew:
        one = observe(Case(), INDEX, [probe("a", hang, limit_seconds=0.2)], crew=crew)
        two = observe(Case(), INDEX, [probe("a", wait, gives=(First,))], crew=crew)
        three = observe(Case(), INDEX, [probe("a", wait, gives=(First,))], crew=crew)
    assert one.runs["a"].error == "time limit"
    assert [found.facts[First] for found in (two, three)] == [First(2), First(2)]


def test_one_thread_runs_the_probes_of_all_cases() -> None:
    threads = set()

    def quick(look: Any) -> Iterator[Any]:
        threads.add(threading.get_ident())
        yield First(1)

    with Crew() as crew:
        for _ in range(5):
            observe(
                Case(),
                INDEX,
                [probe(f"p{i}", quick, limit_seconds=60) for i in range(4)],
                crew=crew,
            )
    assert len(threads) <= WORKERS


def test_a_limit_counts_from_the_start_of_the_probe() -> None:
    def slow(look: Any) -> Iterator[Any]:
        time.sleep(0.6)
        yield First(1)

    found = look_at(*(probe(f"p{i}", slow, limit_seconds=5) for i in range(8)))
    assert {r.state for r in found.runs.values()} == {"found"}


def test_what_a_probe_did_not_declare_is_a_bug_of_the_probe() -> None:
    def tells(look: Any) -> Iterator[Any]:
        yield Finding("loss-nan")

    def outcome(look: Any) -> Iterator[Any]:
        yield Finding("nan-onset", "yesterday")

    found = look_at(probe("a", tells), probe("b", outcome, tells=("nan-onset",)))
    assert found.runs["a"].state == "failed"
    assert found.runs["b"].state == "failed"
    assert not found.observed


def test_a_cycle_of_needs_ends() -> None:
    nothing: Callable[[Any], Iterator[Any]] = lambda look: iter(())  # noqa: E731
    found = look_at(
        probe("a", nothing, needs=(First,), gives=(Second,)),
        probe("b", nothing, needs=(Second,), gives=(First,)),
    )
    assert {r.state for r in found.runs.values()} == {"skipped"}


def test_cancelling_ends_the_look() -> None:
    cancel = threading.Event()

    def wait(look: Any) -> Iterator[Any]:
        cancel.set()
        while not look.cancelled():
            time.sleep(0.01)
        yield First(1)

    assert look_at(probe("a", wait), cancel=cancel).cancelled


def test_facts_of_this_machine_do_not_shape_changes_of_another_run() -> None:
    def here(look: Any) -> Iterator[Any]:
        yield First(2)

    found = look_at(probe("a", here, gives=(First,), reads="this-host"))
    assert First in found.facts
    assert First not in found.facts_of_the_run()
