"""A bare description is no likely cause, and words that compare with last week are no log."""

from __future__ import annotations

import pytest

from medic.case.collect import collect
from medic.index.knowledge import Index, load
from medic.match import split_paste
from medic.session.consultation import Session


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


def told(text: str, index: Index) -> Session:
    session = Session(index, collect([], text=text, index=index))
    session.look()
    return session


@pytest.mark.parametrize(
    "text",
    [
        "训练速度慢了一半",
        "训练变慢了一半，loss 正常",
        "训练速度突然慢了一半",
        "gpu 利用率低，训练很慢",
    ],
)
def test_a_symptom_alone_makes_no_cause_likely(text: str, index: Index) -> None:
    found = told(text, index).diagnosis()
    assert found.causes
    assert {cause.word for cause in found.causes} <= {"possible", "unlikely"}
    assert found.causes[0].chance < 0.6


def test_what_is_told_beside_it_counts_in_full(index: Index) -> None:
    found = told("训练速度慢了一半，nvidia-smi 里还有同事的另一个 python 进程占着这张卡", index)
    assert found.diagnosis().causes[0].name == "gpu-shared-with-other-job"
    assert found.diagnosis().causes[0].word == "likely"


@pytest.mark.parametrize(
    "text",
    [
        "training is half as fast as last week, loss 2.1",
        "the run is twice as slow as last month, loss 2.1",
        "every step takes longer than before, loss 2.1 as always",
    ],
)
def test_who_compares_describes(text: str, index: Index) -> None:
    assert [part.kind for part in split_paste(text)] == ["prose"]
    assert set(told(text, index).complaints) & {"training-slow", "throughput-drops"}


@pytest.mark.parametrize(
    "text",
    [
        "step 10 loss 2.1 slower than before",
        "INFO train: loss 2.1, half as fast as last week",
        "eval loss 2.1 best so far, saved to out/best",
    ],
)
def test_what_a_program_prints_stays_a_log(text: str) -> None:
    assert [part.kind for part in split_paste(text)] == ["log"]
