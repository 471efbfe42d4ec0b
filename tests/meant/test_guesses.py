"""A guess is compared, and is no evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from medic.i18n import use
from medic.index.knowledge import load

INDEX = load()
KINDS = [{*one["causes"]} for one in INDEX.sayings.values() if one.get("causes")]


@pytest.mark.parametrize(
    "words",
    [
        "I think it is a memory leak, it grows every step",
        "会不会是显存泄漏",
        "could it be a memory leak?",
    ],
)
def test_a_guess_is_compared_and_is_no_evidence(oom: Any, words: str) -> None:
    before = oom.talk.session.model.beliefs(oom.talk.session.seen)
    told = oom.say(words)
    assert "MEM-005" in told
    assert "speaks against it" in told
    assert oom.talk.session.model.beliefs(oom.talk.session.seen) == before
    assert oom.talk.session.words == ""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("I think it's NCCL, a bad network cable", "network-link-broken"),
        ("我觉得是网络问题", "network-link-broken"),
        ("网线坏了？", "network-link-broken"),
        ("maybe it is the network storage being slow", "network-file-system-fault"),
        ("maybe the card is broken", "gpu-memory-ecc-error"),
        ("会不会是显卡坏了", "gpu-memory-ecc-error"),
        ("我觉得是数据有问题", "data-quality-poor"),
        ("gpu clocks throttled", "gpu-clocks-throttled"),
        ("driver bug", "driver-library-mismatch"),
        ("bad learning rate schedule", "scheduler-stepped-too-often"),
        ("可能是某个卡掉队了", "one-node-slows-all"),
        ("应该是NCCL版本不一致吧", "versions-differ-between-nodes"),
    ],
)
def test_a_guess_at_a_kind_is_answered_with_causes_of_it(oom: Any, words: str, code: str) -> None:
    before = oom.talk.session.model.beliefs(oom.talk.session.seen)
    told = oom.say(words)
    shown = [n for n in INDEX.causes if f"({INDEX.causes[n].code})" in told]
    assert "A guess, taken as a question" in told
    apart = set(shown) - {"micro-batch-too-large"}  # the leader, if it is named beside them
    assert apart
    assert any(apart <= family for family in KINDS if code in family)
    assert oom.talk.session.model.beliefs(oom.talk.session.seen) == before
    assert oom.talk.session.words == ""


def test_a_guess_at_a_kind_is_told_in_chinese(oom: Any) -> None:
    use("zh")
    told = oom.say("我觉得是网络问题")
    assert "这一类中最接近的原因" in told
    assert "看这一点可以判断：" in told


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("could be a deadlock", "uneven-batches-per-rank"),
        ("probably the sequence length", "sequence-too-long-for-gpu"),
        ("overfitting?", "small-data-memorised"),
        ("会不会是过拟合", "small-data-memorised"),
        ("wrong tokenizer", "tokenizer-not-of-this-model"),
        ("I think it's a bug in flash attention", "attention-kernel-faulty"),
        ("maybe someone else uses the GPU", "gpu-held-by-another-process"),
        ("可能是别人占着显存", "gpu-held-by-another-process"),
        ("a corrupted checkpoint", "checkpoint-truncated"),
        ("maybe cpu bottleneck", "slow-data-loader"),
        ("maybe the learning rate", "learning-rate-too-high"),
        ("我觉得是学习率太大", "learning-rate-too-high"),
    ],
)
def test_a_guess_names_causes_of_its_kind_and_no_others(oom: Any, words: str, code: str) -> None:
    told = oom.say(words)
    shown = {n for n in INDEX.causes if f"({INDEX.causes[n].code})" in told}
    assert shown
    assert any(shown <= kind for kind in KINDS if code in kind)
    assert not oom.talk.session.complaints
    assert not oom.talk.session.told.answered


def test_the_first_suspect_is_compared_where_the_guess_is_of_its_kind(oom: Any) -> None:
    assert "It is the first suspect already." in oom.say("I think the batch is too large")


def test_a_word_that_many_causes_have_means_none_of_them(oom: Any) -> None:
    told = oom.say("I think it is deepspeed")
    assert "The nearest causes of that kind" in told
    assert told.count("deepspeed") + told.count("DeepSpeed") >= 3


@pytest.mark.parametrize("words", ["maybe the moon", "我觉得是风水"])
def test_a_guess_that_names_nothing_changes_nothing(oom: Any, words: str) -> None:
    before = oom.talk.session.model.beliefs(oom.talk.session.seen)
    assert "medic knows no cause that these words name" in oom.say(words)
    assert oom.talk.session.model.beliefs(oom.talk.session.seen) == before
    assert oom.talk.session.words == ""


def test_what_would_tell_of_a_cause_bears_on_it(oom: Any) -> None:
    """Not an answer for another kind of run, nor of a loss that is no NaN."""
    told = oom.say("maybe the learning rate") + oom.say("maybe the sequence length")
    assert "would tell:" in told
    assert "engine start" not in told
    assert "NaN first" not in told


def test_with_words_alone_a_guess_after_a_complaint_is_no_evidence(
    talk_of: Callable[..., Any],
) -> None:
    front = talk_of()
    front.say("the loss is nan")
    before = front.talk.session.model.beliefs(front.talk.session.seen)
    assert "A guess" in front.say("I think it is the learning rate")
    assert front.talk.session.model.beliefs(front.talk.session.seen) == before
