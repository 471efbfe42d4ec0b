"""What to do next, and when to stop: on the real graph."""

from __future__ import annotations

from collections.abc import Iterator

from medic.beliefs.likelihoods import Seen
from medic.beliefs.model import Model
from medic.index.knowledge import load
from medic.planner.looks import Open, leading_by, next_look
from medic.planner.standing import Standing, gate, pruned, standing
from medic.records import replace

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


def test_one_line_is_one_strong_finding_however_many_checks_read_it() -> None:
    cause, links = "no-gpu-in-container", MODEL.links
    strong = [
        Seen(check, outcome)
        for check, outcomes in links.items()
        for outcome, causes in outcomes.items()
        if causes.get(cause) == "strong"
    ]
    doubted = Seen("telltale", cause, "doubted", at="out.log:7")
    other = next(s for s in strong if s.name != "telltale")
    assert gate(MODEL, cause, [doubted, replace(other, at="out.log:9")])
    assert gate(MODEL, cause, [doubted, other])
    assert not gate(MODEL, cause, [doubted, replace(other, at="out.log:7")])


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


def test_pruned_rows_come_back_without_their_findings() -> None:
    held = [
        Seen("oom-shortfall", "other-process"),
        Seen("gpu-processes", "other-process-holds-memory"),
    ]
    dimmed = pruned(MODEL, MODEL.beliefs([OOM, *held]), [OOM, *held])
    assert "micro-batch-too-large" in dimmed
    assert dimmed["micro-batch-too-large"] in held
    assert "micro-batch-too-large" not in pruned(MODEL, MODEL.beliefs([OOM]), [OOM])


def test_what_would_change_my_mind() -> None:
    seen = [OOM, Seen("oom-shortfall", "fragmentation")]
    removed = leading_by(MODEL, seen, frozenset())
    assert (seen[1], MODEL.beliefs([OOM]).leader) in removed


def best_findings(cause: str, weights: tuple[str, ...]) -> list[Seen]:
    """The outcome of every check that speaks most for a cause, if with one of these weights."""
    best: dict[str, tuple[int, str]] = {}
    for link in INDEX.links(cause):
        if link.weight in weights:
            rank = (weights.index(link.weight), link.outcome)
            best[link.check] = min(best.get(link.check, rank), rank)
    return [Seen(check, outcome) for check, (_, outcome) in best.items()]


def is_advice(cause: str) -> bool:
    """A note on a setting, which accuses nothing."""
    lint = INDEX.causes[cause].lint
    return lint is not None and lint.severity == "info" and lint.weight == "weak"


def test_every_cause_can_lead_and_nearly_every_one_be_established() -> None:
    """By some set of its own symptoms and of the findings that speak for it. Two soft findings do
    not lift a rare cause over the bar: it stays likely."""
    never_leads, reached = [], 0
    for cause in INDEX.causes:
        leads = established = False
        for stand in best_stands(cause):
            leads = leads or (stand.leader == cause and stand.gate)
            established = established or stand.established
            if leads and established:
                break
        reached += established
        if not leads and not is_advice(cause):
            never_leads.append(cause)
    assert never_leads == []
    assert reached >= 0.85 * len(INDEX.causes)


def best_stands(cause: str) -> Iterator[Standing]:
    entry = INDEX.causes[cause]
    names = [s.symptom for s in entry.shows if s.level != "rarely"]
    likely = [s.symptom for s in entry.shows if s.level in ("always", "usually")] or names[:1]
    for symptoms in (likely, names) if likely != names else (names,):
        for weights in (("confirms", "strong"), ("confirms", "strong", "weak")):
            seen = [Seen(s, "present") for s in symptoms] + best_findings(cause, weights)
            yield standing(MODEL, MODEL.beliefs(seen), seen)
