"""What a text says of how things are."""

from __future__ import annotations

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.match import (
    all_well,
    complains,
    complains_not,
    complaints,
    contrasts,
    only_asks,
    praises,
    reports,
    tells_set_up,
)
from medic.match.words import terms_of
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis
from medic.told.bare_words import SURE
from medic.told.understood import Told

INDEX = load()


@pytest.mark.parametrize(
    "text",
    [
        "The LR monitor shows the same value in every step of the epoch.",
        "With four nodes the profile has the gather after the matmul, one behind the other.",
        "学习率从头到尾都是同一个值。",
        "No errors, but the first loss is 10.2 where the last run began at 4.",
        "There is no error, it just leaves the loop a thousand steps early.",
    ],
)
def test_who_only_states_what_was_seen_reports(text: str) -> None:
    assert reports(text)


@pytest.mark.parametrize(
    "text",
    [
        "Does a larger micro batch pay on an H100?",
        "请问 batch 该设多大",
        "We train with ZeRO-2 and it works fine.",
        "learning_rate: 1.0e-4\nbf16: true",
        "训练正常，只是显存比以前多 2G。",
    ],
)
def test_a_question_praise_or_a_config_reports_nothing(text: str) -> None:
    assert not reports(text)


def test_what_runs_fine_for_a_while_is_complained_of() -> None:
    assert complains("Our 30B job runs fine for an hour and then dies.")
    assert complains("It looks fine until the evaluation, out of memory there")
    assert not complains("It runs fine and then the next job starts.")


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("容器里一跑就退，宿主机没问题", True),
        ("换回旧驱动就正常", True),
        ("宿主机和容器都跑了", False),
    ],
)
def test_that_another_variant_is_well_sets_this_one_apart(text: str, turned: bool) -> None:
    assert contrasts(text) is turned


def test_while_it_ran_says_nothing() -> None:
    assert terms_of("跑着跑着卡住了") == terms_of("卡住了")


def test_praise_is_no_complaint() -> None:
    text = "It trains well now, no errors in the log."
    assert praises(text)
    assert not complains(text)


@pytest.mark.parametrize("text", ["日志里有 NaN 检查，都通过了。", "The NaN check is fine."])
def test_what_a_sentence_calls_well_is_no_symptom(text: str) -> None:
    assert not complaints(text, INDEX)


def test_a_sentence_that_turns_still_complains() -> None:
    text = "Single-GPU training is fine but with two nodes the loss is NaN."
    assert "loss-nan" in {match.name for match, _ in complaints(text, INDEX)}


def test_the_lone_name_of_an_option_is_no_symptom() -> None:
    text = "With other data, same settings (max_response_length, lr), I get CUDA out of memory."
    assert [match.name for match, _ in complaints(text, INDEX)] == ["cuda-out-of-memory"]


def test_where_something_is_loaded_is_no_praise() -> None:
    assert praises("the first step fails and then it trains on.")
    assert not praises("torch.load on my laptop asks for cuda:5")


def test_a_few_words_that_one_cause_alone_has_are_answered() -> None:
    told = Told(INDEX, words="load_dataset finds no such split, I may have mistyped it")
    near = {"data-set-not-found": SURE * 0.85, "evaluation-without-data": SURE * 0.6}
    assert told.sounds_like(near)
    assert not told.sounds_like({**near, "evaluation-without-data": SURE * 0.8})
    assert not told.sounds_like({"data-set-not-found": SURE * 0.6})


def test_a_statement_near_to_a_cause_is_answered() -> None:
    session = Session(INDEX, collect([], text="", this_host=False))
    session.complain(
        "OneCycleLR in Lightning: the rate that the monitor logs is the same in all steps of an "
        "epoch; the scheduler is stepped once per epoch."
    )
    assert session.diagnosis().causes[0].name == "scheduler-stepped-per-epoch"


@pytest.mark.parametrize(
    "text",
    [
        "is zero-3 ok for 7B?",
        "what does gradient clipping do?",
        'What does "loss spike" mean?',
        "does gradient checkpointing slow training down?",
        "how do I detect overfitting?",
        "学习率怎么设置？",
        "什么是 loss spike？",
        "怎么判断过拟合？",
        "loss is going down nicely",
        "no errors so far",
        "nan is gone",
        "gpu util is 98%",
        "显存占用稳定",
        "续训正常",
        "没有 nan",
    ],
)
def test_a_question_of_usage_and_a_good_word_complain_of_nothing(text: str) -> None:
    assert complains_not(text)
    assert _answered(text).verdict == "no-fault-seen"


@pytest.mark.parametrize(
    "text",
    [
        "how do I fix overfitting?",
        "is it normal that the loss is nan?",
        "does anyone get nan with bf16?",
        "no cuda",
        "loss is fine but grad norm is nan",
        "training is stable but very slow",
        "怎么老是 oom？",
        "loss 为什么不降？",
        "吞吐正常，但是 loss 是 nan",
        "PPO训练过程中熵很快降到接近0",
        "loss 很快变成 nan",
    ],
)
def test_a_question_after_the_cure_or_a_turn_complains(text: str) -> None:
    assert not complains_not(text)
    assert _answered(text).symptoms


@pytest.mark.parametrize("text", ["lr 3e-4, warmup 2000, cosine", "the lora rank is 16"])
def test_what_is_only_set_up_is_no_report(text: str) -> None:
    assert tells_set_up(text)
    assert _answered(text).verdict == "no-fault-seen"


@pytest.mark.parametrize("text", ["the frobnicator is broken", "评估有点怪"])
def test_a_complaint_that_nothing_matches_is_not_called_well(text: str) -> None:
    assert _answered(text).verdict == "none-of-these"


def _answered(text: str) -> Diagnosis:
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX))
    session.look()
    return session.diagnosis()


@pytest.mark.parametrize(
    "text", ["worse after resuming", "strange answers", "the samples are missing"]
)
def test_a_word_for_trouble_counts_as_it_is_written(text: str) -> None:
    assert complains(text)


@pytest.mark.parametrize(
    "text",
    ["Is zero-3 ok for 7B?", "Can I use ZeRO-3 with LoRA?", "请问 lora 可以和 zero3 一起用吗"],
)
def test_a_question_of_usage_is_no_failure(text: str) -> None:
    assert only_asks(text)
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX))
    session.look()
    assert session.diagnosis().verdict == "no-fault-seen"


@pytest.mark.parametrize(
    "text",
    ["Loss is 0?", "Why does zero-3 hang?", "We use zero-3. Is that ok?", "显存一直增加吗？"],
)
def test_a_question_about_what_was_seen_is_none_of_usage(text: str) -> None:
    assert not only_asks(text)


def test_an_exception_that_a_sentence_quotes_is_seen() -> None:
    text = "两张卡启动就报 RuntimeError: CUDA error: uncorrectable ECC error encountered，怎么办？"
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX))
    session.look()
    found = session.diagnosis()
    assert (found.verdict, found.causes[0].name) == ("established", "gpu-memory-ecc-error")


@pytest.mark.parametrize(
    "text",
    [
        "This works without RuntimeError: CUDA error: uncorrectable ECC error encountered today.",
        "Solved: RuntimeError: CUDA error: uncorrectable ECC error encountered, the card is new.",
    ],
)
def test_an_exception_that_is_not_there_any_more_is_not_seen(text: str) -> None:
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX))
    session.look()
    assert session.diagnosis().verdict != "established"


@pytest.mark.parametrize(
    "text",
    [
        "after fine-tuning the loss is 0 in all epochs",
        "loss stable at 10.8 from the beginning",
        "loss 稳定在 11",
        "多机训练报 NCCL error，单机没问题",
    ],
)
def test_a_word_of_praise_inside_another_word_says_nothing(text: str) -> None:
    assert not complains_not(text)


@pytest.mark.parametrize(
    ("text", "well"),
    [
        ("NCCL 超时已经解决了，但 loss 变成 NaN", False),
        ("NCCL 超时已经解决了。loss 变成 NaN", False),
        ("昨天的 NaN 修好了，今天 reward 一直是 0", False),
        ("谁解决了 loss 变成 NaN？", False),
        ("loss nan not fixed by bf16", False),
        ("how is a NaN loss fixed?", False),
        ("NCCL 超时已经解决了，谢谢", True),
        ("the hang is fixed now, thanks", True),
        ("the hang is gone", True),
        ("the folder of the best epoch is gone", False),
        ("开了编译 loss 对不上，eager 没问题", False),
    ],
)
def test_a_cure_covers_its_own_trouble(text: str, well: bool) -> None:
    assert (all_well(text) or complains_not(text)) is well


def test_chinese_words_of_the_tone_are_terms_of_their_own() -> None:
    """They are taken as they stand, without being looked up."""
    from medic.match import tone

    tables = (tone._TROUBLE_WORDS, tone._WELL_WORDS, tone._DEEDS, tone._WAY_WORDS)
    han = [word for table in tables for word in table.split() if not word.isascii()]
    assert len(han) >= 7
    assert [terms_of(word) for word in han] == [(word,) for word in han]
