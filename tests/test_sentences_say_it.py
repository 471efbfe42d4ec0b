"""A fact is recorded of a sentence only where the sentence says it; each with an innocent twin."""

from __future__ import annotations

import pytest

from medic.case.collect import Case
from medic.index.knowledge import load
from medic.planner.questions import Question
from medic.session.consultation import Session
from medic.told.stated import stated

INDEX = load()


def told(words: str) -> tuple[Session, Question | None]:
    session = Session(INDEX, Case())
    session.complain(words)
    return session, session.next_question()


@pytest.mark.parametrize(
    ("words", "size"),
    [
        ("有一张卡特别慢，把其他卡都拖慢了", None),
        ("有一张卡特别慢", None),
        ("有两张卡比其他卡慢", None),
        ("1 GPU is slower than the others", None),
        ("2 GPUs are slower than the rest", None),
        ("4 GPUs out of 8 are idle", None),
        ("8 张卡里有 2 张卡慢", 8),
        ("一共 16 张卡，其中一张卡利用率 0", 16),
        ("只有一张卡，训练 7B", 1),
        ("training on 1 GPU is slow", 1),
        ("2 GPUs hang at init", 2),
        ("我们有 8 张卡，训练 7B", 8),
    ],
)
def test_some_of_the_cards_are_no_size_of_the_run(words: str, size: int | None) -> None:
    sizes = [one.value for one in stated(words, INDEX) if one.field == "world_size"]
    assert sizes == ([size] if size else [])


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("training died at night, the log just stops", {"stopped-without-a-word"}),
        ("crashed at night, the log just ends", {"stopped-without-a-word"}),
        ("训练到一半崩了，没有报错", {"stopped-without-a-word"}),
        ("the script crashes with a traceback", {"python-exception"}),
        ("跑几个小时就崩，抛异常退出", {"python-exception"}),
        ("loss 降到 2.3 之后就不动了，学习率 3e-4", {"loss-plateau"}),
        ("loss goes down to 2.3 and then does not move, lr 3e-4", {"loss-plateau"}),
        ("训练跑到一半不动了，loss 2.3", {"training-hangs"}),
        ("loss 降到 2.3 之后进程卡死，日志不动了", {"training-hangs"}),
    ],
)
def test_what_a_sentence_complains_of(words: str, shown: set[str]) -> None:
    session, _ = told(words)
    assert set(session.complaints) == shown


@pytest.mark.parametrize(
    ("words", "check", "outcome"),
    [
        ("it was fine until I doubled the sequence length, now OOM", "context-knee", None),
        ("序列长度加倍之后就爆显存，之前都正常", "context-knee", None),
        (
            "perplexity jumps right after the original context length",
            "context-knee",
            "at-trained-length",
        ),
        ("超过 4096 就乱码", "context-knee", "at-trained-length"),
        ("loss goes down to 2.3 and then does not move", "loss-exactly-constant", None),
        ("loss is bit-identical at every step", "loss-exactly-constant", "same-number"),
    ],
)
def test_what_a_sentence_answers(words: str, check: str, outcome: str | None) -> None:
    session, _ = told(words)
    reading = session.told.answered.get(check)
    assert (reading.outcome if reading else None) == outcome


@pytest.mark.parametrize(
    ("words", "not_asked"),
    [
        ("微调完模型只会复读", ["loss-nan", "exception-subject"]),
        ("val loss great but benchmark score is random", ["results-not-reproducible"]),
        ("loss spikes every time a new epoch starts", ["exception-subject"]),
        ("training died at night, the log just stops", ["collective-timeout", "import-fails"]),
        ("训练到一半崩了，没有报错", ["cublas-error", "collective-timeout"]),
    ],
)
def test_the_first_question_is_of_what_was_told(words: str, not_asked: list[str]) -> None:
    _, question = told(words)
    assert question is None or question.name not in not_asked


def test_an_exception_is_asked_about_where_one_was_told() -> None:
    session, _ = told("the data loader crashes with an exception")
    assert "exception-subject" in {look.name for look in session.open_looks()}
