"""What is asked fits the run: nobody is asked about rollouts that he does not have."""

from __future__ import annotations

import pytest

from medic.beliefs.likelihoods import Seen
from medic.case.collect import Case
from medic.index.knowledge import load
from medic.planner.questions import choices, of_rl
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


def next_asked(words: str) -> str:
    session = Session(INDEX, Case())
    session.complain(words)
    question = session.next_question()
    assert question is not None
    return question.name


@pytest.mark.parametrize(
    ("words", "not_asked"),
    [
        ("loss spiked at step 12000 and recovered", "nan-onset"),
        ("my training hangs after a few hours, no error", "collective-ranks"),
        ("微调之后模型只会重复", "python-exception"),
    ],
)
def test_no_question_supposes_what_nobody_told(words: str, not_asked: str) -> None:
    assert next_asked(words) != not_asked
    assert not_asked not in asked(words)


@pytest.mark.parametrize("words", ["loss 变成 nan 了", "恢复训练之后 loss 变高了", "显存不够"])
def test_with_words_alone_the_answers_part_the_suspects(words: str) -> None:
    """Some answer moves one of them against another by more than a factor of three."""
    session = Session(INDEX, Case())
    session.complain(words)
    question = session.next_question()
    assert question is not None
    before = session.model.beliefs(session.seen)
    near = before.ranked[:12]
    moved = 0
    for outcome, _ in question.choices:
        seen = [*session.seen, Seen(question.name, outcome, "person")]
        after = session.model.beliefs(seen)
        odds = [after.chance[n] / before.chance[n] for n in near]
        moved += max(odds) > 3 * min(odds)
    assert moved >= 1
