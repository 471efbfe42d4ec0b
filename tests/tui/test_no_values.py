"""Values that no run can have are refused in words; a card without its size is asked about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medic.i18n import Lang, use
from medic.told.refused import refused
from medic.told.stated import left_over, stated

Talk = Callable[..., Any]
LOG = "step 1 loss 10.9\nstep 2 loss 10.2\n[rank0]: torch.OutOfMemoryError: CUDA out of memory.\n"


@pytest.fixture
def one(talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    Path("run/train.log").write_text(LOG)
    return talk("run")


@pytest.mark.parametrize(
    ("text", "field", "must"),
    [
        ("lr=nan", "peak learning rate = nan", "finite"),
        ("lr: inf", "peak learning rate = inf", "finite"),
        ("set lr to -1", "peak learning rate = -1", "finite"),
        ("learning rate set to -3e-4", "peak learning rate = -3e-4", "finite"),
        ("学习率设为 -1", "peak learning rate = -1", "finite"),
        ("world_size=-8", "world size = -8", "whole"),
        ("world size is -8", "world size = -8", "whole"),
        ("tp=2.5", "tensor parallel size = 2.5", "whole"),
        ("micro_batch_size=abc", "micro batch = abc", "not a number"),
        ("world_size=0", "world size = 0", "1 or more"),
        ("world_size=auto", "", ""),
        ("micro_batch_size=abc fails", "", ""),
        ("zero_stage=0", "", ""),
        ("the learning rate is nan", "", ""),
        ("max_steps=-1", "", ""),
        ("lr=3e-4", "", ""),
        ("batch-size-8", "", ""),
        ("loss=nan", "", ""),
        ("step 3 loss 2.1\nlr: nan", "", ""),
    ],
)
def test_what_no_field_takes_is_refused(text: str, field: str, must: str) -> None:
    told, rest = refused(text)
    assert [str(one).split(" is not taken")[0] for one in told] == ([field] if field else [])
    assert all(must in str(one) for one in told)
    assert rest == ("" if field else text)


@pytest.mark.parametrize("text", ["world_size=-8", "world size -8", "学习率设为 -1", "epochs=-1"])
def test_a_sign_is_no_hyphen(text: str) -> None:
    assert stated(text) == ()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("lr=3e-4 3e-5", ["3e-5"]),
        ("lr=3e-4, tp 8", []),
        ("lr=3e-4 since step 500", []),
        ("4 A100 80G", []),
        ("3e-5", []),
    ],
)
def test_a_number_of_no_field_is_left_over(text: str, left: list[str], whole: Any) -> None:
    assert left_over(text, whole) == left


def test_a_sign_at_a_number_of_a_phrase_is_told(one: Any) -> None:
    told = one.say("8 块 A100 每节点 -8 卡")
    assert (
        "processes (GPUs) per node = -8 is not taken: it must be a whole number, 1 or more." in told
    )
    assert one.talk.session.case.given == {"world_size": 8}
    assert "Not taken: 3e-5; no value of the run is named for it." in one.say("lr=3e-4 3e-5")


def test_who_has_one_card_has_one(one: Any) -> None:
    one.say("I have only one A100", "80G")
    assert one.talk.session.case.given == {"world_size": 1, "gpu": "a100-80g"}
    for text in ("only one GPU is busy", "I have only one GPU that works", "8 GPUs - 2 slow"):
        assert {item.value for item in stated(text)} <= {8}


@pytest.mark.parametrize("text", ["world-size-8", "world size 8", "world_size: 8", "8 GPUs"])
def test_a_hyphen_is_no_sign(text: str) -> None:
    assert [item.value for item in stated(text)] == [8]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_one_line_says_so_and_nothing_is_taken(one: Any, lang: Lang) -> None:
    use(lang)
    told = one.say("lr=nan")
    assert {"en": "= nan is not taken", "zh": "未采纳峰值学习率 = nan"}[lang] in told
    assert (one.talk.session.case.given, one.talk.session.case.pastes) == ({}, ())
    one.say("world_size=-8, lr=1e-4")
    assert one.talk.session.case.given == {"learning_rate": 1e-4}


def test_a_line_of_a_log_is_no_refused_setting(one: Any) -> None:
    told = one.say("step 3 | loss: 2.1 | lr: nan | grad_norm: 3.0\nstep 4 | loss: 2.1 | lr: nan")
    assert "not taken" not in told
    assert one.talk.session.case.pastes


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_card_of_several_sizes_is_asked_about(one: Any, lang: Lang) -> None:
    use(lang)
    told = one.say("A100")
    assert {"en": "A100: 40 or 80 GB?", "zh": "A100：40 还是 80 GB？"}[lang] in told
    assert "medic has no data" not in told
    one.say("40G")
    assert one.talk.session.case.given["gpu"] == "a100-40g"


def test_a_card_of_one_size_is_taken_and_shown(one: Any) -> None:
    assert "GPU model = h100-80g" in one.say("4 H100")
    assert "GB?" not in one.say("it runs on an A100 80G")


def test_the_size_is_asked_beside_a_count(one: Any) -> None:
    assert "V100: 16 or 32 GB?" in one.say("8 V100s")
    assert one.talk.session.case.given == {"world_size": 8}


def test_numbers_of_what_was_said_begin_at_one(one: Any) -> None:
    one.say("world_size=64", "/undo")
    assert "1 micro batch = 4" in one.say("micro batch is 4")
    one.say("the node has 32 cores", "/change 1")
    told = one.say("/change")
    assert "1 CPU cores of a node = 32" in told
    assert "Taken out: CPU cores" in one.say("/change 1")


def test_a_number_without_a_question_is_shown_as_said(one: Any) -> None:
    one.wait_for(None)
    told = one.say("2")
    assert "[you] 2" in told
    assert "Nothing is asked just now." in told
