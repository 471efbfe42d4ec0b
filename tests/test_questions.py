"""What is asked fits the run: nobody is asked about rollouts that he does not have."""

from __future__ import annotations

import pytest

from medic.case.collect import Case
from medic.index.knowledge import load
from medic.planner.looks import choices, of_rl
from medic.session.consultation import Session

INDEX = load()


def asked(words: str) -> set[str]:
    session = Session(INDEX, Case())
    session.complain(words)
    assert session.complaints
    return {look.name for look in session.open_looks()}


@pytest.mark.parametrize("words", ["CUDA out of memory", "loss is nan", "训练卡住不动"])
def test_no_question_is_of_reinforcement_learning(words: str) -> None:
    names = asked(words)
    assert "training-method" in names
    assert not [name for name in names if of_rl(INDEX, name)]


@pytest.mark.parametrize(
    "words",
    [
        "CUDA out of memory in our GRPO run",
        "out of memory when vllm wakes up",
        "the reward does not go up",
    ],
)
def test_where_something_speaks_of_it_it_is_asked_about(words: str) -> None:
    assert [name for name in asked(words) if of_rl(INDEX, name)]


def test_every_question_has_an_answer_for_who_saw_nothing_of_it() -> None:
    """A check whose normal outcome is also "not known" has it as "none of these"."""
    assert dict(choices(INDEX.checks["card-class"], set()))["data-center"].en == "none of these"
    for check in INDEX.checks.values():
        if check.ask is not None:
            normal = any(outcome.normal for outcome in check.outcomes.values())
            offered = [name for name, _ in choices(check, set())]
            assert len(offered) > 1, check.name
            assert not normal or any(check.outcomes[name].normal for name in offered), check.name


def test_nobody_can_answer_not_told_beside_i_dont_know() -> None:
    same = {"not told", "not known", "not said", "unknown", "未说明", "未知", "不知道"}
    for name, check in INDEX.checks.items():
        if check.ask is not None:
            titles = {part for _, title in choices(check, set()) for part in (title.en, title.zh)}
            assert not titles & same, name
