"""What to do next, and when to stop: on the real graph."""

from __future__ import annotations

import time

import pytest

from medic.beliefs import Model, Seen
from medic.index import load
from medic.planner import Open, change_of_mind, gate, next_look, pruned, standing

INDEX = load()
MODEL = Model(INDEX)
OPEN = [Open(n, c.ask.minutes) for n, c in INDEX.checks.items() if c.ask]
OOM = Seen("cuda-out-of-memory", "present")


def test_a_confirming_finding_establishes() -> None:
    seen = [
        OOM,
        Seen("oom-shortfall", "other-process"),
        Seen("gpu-processes", "other-process-holds-memory"),
    ]
    stand = standing(MODEL, MODEL.beliefs(seen), seen)
    assert stand.leader == "gpu-held-by-another-process"
    assert stand.established


def test_a_person_cannot_confirm() -> None:
    seen = [OOM, Seen("oom-shortfall", "other-process", "person")]
    assert not gate(MODEL, "gpu-held-by-another-process", seen)


def test_a_true_fault_without_its_symptom_is_not_the_cause() -> None:
    seen = [Seen("checkpoint-keys", "prefix-only"), OOM]
    stand = standing(MODEL, MODEL.beliefs(seen), seen)
    assert not (stand.established and stand.leader == "wrapper-prefix-in-keys")


def test_asks_only_what_can_change_the_verdict() -> None:
    look = next_look(MODEL, [OOM], frozenset(), OPEN)
    assert look is not None
    leaders = {flip.leader for flip in look.flips}
    assert len(leaders) > 1 or look.refutes


def test_nothing_to_ask_when_established() -> None:
    seen = [
        OOM,
        Seen("oom-shortfall", "other-process"),
        Seen("gpu-processes", "other-process-holds-memory"),
    ]
    assert next_look(MODEL, seen, frozenset(), OPEN) is None


def test_pruned_rows_come_back_without_their_finding() -> None:
    seen = [
        OOM,
        Seen("oom-shortfall", "other-process"),
        Seen("gpu-processes", "other-process-holds-memory"),
    ]
    dimmed = pruned(MODEL, MODEL.beliefs(seen), seen)
    assert dimmed
    for cause, by in dimmed.items():
        rest = [f for f in seen if f != by]
        assert cause not in pruned(MODEL, MODEL.beliefs(rest), rest) or len(rest) > 1


def test_what_would_change_my_mind() -> None:
    seen = [OOM, Seen("oom-shortfall", "fragmentation")]
    removed, _ = change_of_mind(MODEL, seen, frozenset(), OPEN)
    assert (seen[1], MODEL.beliefs([OOM]).leader) in removed


@pytest.mark.parametrize("cause", list(INDEX.causes))
def test_every_cause_can_be_established(cause: str) -> None:
    """Its symptoms and every finding that speaks for it."""
    entry = INDEX.causes[cause]
    seen = [Seen(s.symptom, "present") for s in entry.shows if s.level in ("always", "usually")]
    if not seen:
        seen = [Seen(entry.shows[0].symptom, "present")]
    best: dict[str, str] = {}
    order = {"confirms": 0, "strong": 1, "weak": 2}
    for link in INDEX.links(cause):
        if link.weight in order:
            known = best.get(link.check)
            weight = {t.outcome: t.weight for t in INDEX.links(cause) if t.check == link.check}
            if known is None or order[link.weight] < order.get(weight[known], 9):
                best[link.check] = link.outcome
    seen += [Seen(check, outcome) for check, outcome in best.items()]
    stand = standing(MODEL, MODEL.beliefs(seen), seen)
    assert stand.remedy == entry.remedies[0]
    assert stand.established


def test_a_step_is_fast() -> None:
    """No timing gate, only that it is not quadratic in something large."""
    start = time.perf_counter()
    next_look(MODEL, [OOM], frozenset(), OPEN)
    assert time.perf_counter() - start < 2.0
