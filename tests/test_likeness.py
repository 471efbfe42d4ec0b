"""How much a text reads like a cause: an order, bounded, and blind to paths and stack frames."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medic.case.collect import collect
from medic.entries.levels import STRONGEST
from medic.index.knowledge import load
from medic.match.likeness import MOST, Likeness, weighed
from medic.planner.verdict import CLEAN
from medic.session.consultation import Session

BAGS = {
    "loader": {"dataloader": 3, "slow": 2, "worker": 2},
    "disk": {"disk": 3, "noroom": 2, "checkpoint": 1},
    "fork": {"fork": 2, "worker": 1, "cuda": 2},
}
LIKENESS = Likeness(list(BAGS), weighed(BAGS))


def test_the_nearest_comes_first_with_the_largest_ratio() -> None:
    found = LIKENESS.ratios("the dataloader is slow, whatever the number of workers")
    assert next(iter(found)) == "loader"
    assert 0 < found["loader"] <= STRONGEST
    assert found.get("fork", 0.0) < found["loader"]


def test_both_languages_are_one() -> None:
    assert next(iter(LIKENESS.ratios("磁盘满了，保存检查点失败"))) == "disk"


def test_paths_and_frames_tell_nothing() -> None:
    frame = '  File "/opt/disk/checkpoint/noroom.py", line 3, in disk\n'
    assert LIKENESS.ratios(frame + "see /data/disk/checkpoint/full.log") == {}


def test_a_text_of_other_words_is_like_none() -> None:
    assert LIKENESS.ratios("sourdough bread") == {}
    assert Likeness([], weighed({})).ratios("disk") == {}


@given(st.text(alphabet="disk loader fork slow worker 磁盘 满\n/.:", max_size=300))
@settings(max_examples=200, deadline=None)
def test_ratios_are_bounded(text: str) -> None:
    found = LIKENESS.ratios(text)
    assert len(found) <= MOST
    assert all(0.0 <= r <= STRONGEST and math.isfinite(r) for r in found.values())


LOG = "step 100 loss 2.1 lr 1e-5\nstep 200 loss 2.0 lr 1e-5\nstep 300 loss 1.9 lr 1e-5\n"


def consulted(words: str) -> Session:
    session = Session(load(), collect([], text=LOG + words, index=load(), this_host=False))
    session.look()
    return session


@pytest.mark.parametrize(
    "words",
    [
        "done",
        "训练完成",
        "Finished training\nSaved to out",
        "Training completed. Do not forget to share your model on huggingface.co/models =)",
    ],
)
def test_a_sound_log_with_words_that_complain_of_nothing_is_like_no_cause(words: str) -> None:
    session = consulted(words)
    assert session.words == words
    assert not session.model.likeness
    assert session.diagnosis().verdict in CLEAN


@pytest.mark.parametrize(
    "words",
    [
        "why does the loss fall so slowly",
        "The adapter that we serve scores 12 points less than the one in transformers.",
    ],
)
def test_a_sound_log_with_a_complaint_is_compared_with_the_causes(words: str) -> None:
    assert consulted(words).model.likeness
