"""Causes in rollouts and rewards are no suspects of a run that is no reinforcement learning."""

from __future__ import annotations

import pytest
from medic.tui import compare, graph_data

from medic.case.collect import Case
from medic.facts import Source
from medic.index.knowledge import load
from medic.probe import Finding
from medic.runner.evidence import Evidence, Observed
from medic.session.consultation import Session

OF_RL = ("rl", "ray", "rollout")


def session_of(*symptoms: str) -> Session:
    seen = [Finding(name, "present", {}, Source("train.log", 9)) for name in symptoms]
    return Session(load(), Case(), evidence=Evidence([Observed(f, "logs", "exact") for f in seen]))


@pytest.mark.parametrize(
    ("symptoms", "live"), [(("cuda-out-of-memory",), False), (("rollout-engine-fails",), True)]
)
def test_the_graph_tells_what_does_not_apply(symptoms: tuple[str, ...], live: bool) -> None:
    session = session_of(*symptoms)
    found, causes = session.diagnosis(), session.index.causes
    named = {c.name for c in found.causes}  # what is told to be possible is so here, too
    rest = [n for n in graph_data.drawn(session, found).nodes if n.cause and n.cause not in named]
    marks = {n.mark[:1] for n in rest if causes[n.cause].family in OF_RL}
    assert ("○" in marks) is live


def test_two_causes_are_not_parted_by_a_question_about_rollouts() -> None:
    session = session_of("cuda-out-of-memory")
    names = [c.name for c in session.diagnosis().causes]
    for other in names[1:]:
        told = " ".join(str(line.text) for line in compare._parting(session, names[0], other))
        assert "RL step" not in told
