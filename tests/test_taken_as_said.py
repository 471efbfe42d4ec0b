"""A few words are taken for what they say: what is gone, one of several, an order, a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.beliefs.likelihoods import Seen
from medic.case.collect import collect
from medic.index.knowledge import load
from medic.session.consultation import Session
from medic.session.undecided import recommends
from medic.told.only_asked import answer_to
from medic.told.understood import Told

INDEX = load()


def told(text: str) -> Told:
    found = Told(INDEX)
    found.describe(text)
    return found


def session(text: str, *paths: Path) -> Session:
    found = Session(
        INDEX, collect([str(path) for path in paths], text=text and f"{text}\n", index=INDEX)
    )
    found.look()
    return found


def answered(text: str) -> set[str]:
    return {f"{name}={said.outcome}" for name, said in told(text).answered.items()}


@pytest.mark.parametrize(
    ("text", "gone", "there"),
    [
        ("nan 没有了，但是 loss 不降", "loss-nan", "loss-plateau"),
        ("the nan is gone but the loss does not fall", "loss-nan", "loss-plateau"),
        ("no longer nan, but the loss does not decrease", "loss-nan", "loss-plateau"),
        ("OOM 消失了，但是卡住了", "cuda-out-of-memory", "training-hangs"),
        ("the hang is gone but it is slow now", "training-hangs", "training-slow"),
        ("不再卡住了，但是训练特别慢", "training-hangs", "training-slow"),
    ],
)
def test_what_is_gone_is_no_complaint(text: str, gone: str, there: str) -> None:
    found = told(text).reported
    said = {name for n, reading in found.items() for name in (n, *reading.also)}
    assert gone not in said
    assert there in said


@pytest.mark.parametrize(
    "text",
    [
        "换成 bf16 后 nan 没了",
        "the NaN went away, then came back",
        "nan 没有了，过一会又出现 nan",
    ],
)
def test_what_went_on_a_condition_or_comes_back_is_one(text: str) -> None:
    assert "loss-nan" in told(text).reported


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("only one of 4 GPUs is slow", "slow-scope=one-node-slower"),
        ("one of the 16 nodes is much slower", "slow-scope=one-node-slower"),
        ("4 张卡里有一张特别慢", "slow-scope=one-node-slower"),
        ("16 台机器中有一台很慢", "slow-scope=one-node-slower"),
        ("only one of 4 GPUs is used", "slow-scope=only-one-gpu-used"),
        ("两张卡和一张卡一样慢", "slow-scope=no-gain-from-gpus"),
        ("it hangs on 2 nodes, works on 1", "works-at-smaller-scale=single-node-works"),
        ("works on one, hangs on 2 nodes", "works-at-smaller-scale=single-node-works"),
        ("两台机器卡住，一台正常", "works-at-smaller-scale=single-node-works"),
        ("hangs on 2 gpus, works on 1", "works-at-smaller-scale=single-gpu-works"),
        ("only since we changed the data", "changed-since-good=data"),
        ("it started after I changed the dataset", "changed-since-good=data"),
        ("换了数据以后才这样", "changed-since-good=data"),
    ],
)
def test_of_several_one(text: str, outcome: str) -> None:
    assert outcome in answered(text)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("all 4 GPUs are slow", "slow-scope=one-node-slower"),
        ("8 张卡都很慢", "slow-scope=one-node-slower"),
        ("only one of 4 GPUs is slow", "slow-scope=only-one-gpu-used"),
        ("4 张卡里有一张特别慢", "slow-scope=no-gain-from-gpus"),
        ("it hangs on 2 nodes", "works-at-smaller-scale=single-node-works"),
        ("I changed the data and nothing changes", "changed-since-good=data"),
        ("换了数据还是一样", "changed-since-good=data"),
    ],
)
def test_what_is_not_said_is_no_answer(text: str, outcome: str) -> None:
    assert outcome not in answered(text)


def test_a_slow_one_leads_to_it() -> None:
    for text in ("only one of 4 GPUs is slow", "4 张卡里有一张特别慢"):
        assert session(text).diagnosis().causes[0].name == "one-node-slows-all"


@pytest.mark.parametrize("text", ["stop", "stop it please", "停", "停一下", "ok, wait", "取消"])
def test_an_order_tells_of_no_run(text: str) -> None:
    assert not told(text).complaints


@pytest.mark.parametrize("text", ["it just stopped", "training stopped", "训练停了", "停了"])
def test_that_it_stopped_does(text: str) -> None:
    assert told(text).complaints == ["stopped-without-a-word"]


def test_a_moment_of_what_did_not_happen_is_no_finding(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(f"step {n} loss {3 - n / 50:.4f} lr 1e-5\n" for n in range(1, 60)))
    found = session("", tmp_path)
    found.complain("之前一直很正常")
    assert ("oom-phase", "later-step") not in {(s.name, s.outcome) for s in found.seen}
    assert found.diagnosis().verdict in ("no-fault-seen", "healthy")
    log.write_text(
        log.read_text()
        + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    )
    failed = session("", tmp_path)
    failed.complain("之前一直很正常")
    assert ("oom-phase", "later-step") in {(s.name, s.outcome) for s in failed.seen}


@pytest.mark.parametrize(
    "text",
    [
        "the loss is nan after resume",
        "loss becomes nan once we resume",
        "resume 之后 loss 变成 nan",
        "恢复训练后 loss 是 nan",
    ],
)
def test_both_languages_rank_the_causes_alike(text: str) -> None:
    found = session(text).diagnosis()
    assert found.causes[0].name == "checkpoint-holds-nan"
    assert found.causes[0].word == "possible"


@pytest.mark.parametrize(
    "text", ["loss is nan", "the loss is nan", "loss 变成 nan 了", "训练很慢", "OOM"]
)
def test_the_name_of_a_symptom_is_like_no_cause(text: str) -> None:
    found = session(text)
    assert found.complaints
    assert max(found.model.likeness.values(), default=0.0) <= 0
    assert all(line.name != "description" for c in found.diagnosis().causes for line in c.evidence)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("the loss is nan after resume", False),
        ("loss is nan", False),
        ("Loss is nan, stopping training", True),
        ("step 3 loss nan", True),
    ],
)
def test_a_plain_sentence_is_no_message(text: str, read: bool) -> None:
    assert bool(session(text).case.parts) == read


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("we use bf16", "precision-in-use=wide-range"),
        ("no, bf16", "precision-in-use=wide-range"),
        ("it is bf16 mixed precision", "precision-in-use=wide-range"),
        ("用的 bf16", "precision-in-use=wide-range"),
        ("不是，用的 bf16", "precision-in-use=wide-range"),
        ("we use fp16", "precision-in-use=fp16"),
        ("用的是 fp16", "precision-in-use=fp16"),
    ],
)
def test_a_precision_answers_which_is_used(text: str, outcome: str) -> None:
    assert outcome in answered(text)


@pytest.mark.parametrize("text", ["not bf16", "we tried bf16", "bf16 也试过", "fp16 不行"])
def test_a_precision_that_is_not_used_answers_nothing(text: str) -> None:
    assert not answered(text)


def test_a_remedy_is_advised_where_its_cause_is_likely() -> None:
    assert not recommends(session("the loss is nan after resume").diagnosis())
    assert recommends(session("only one of 4 GPUs is slow").diagnosis())


@pytest.mark.parametrize(
    "text",
    [
        "there is no NaN in the loss",
        "loss 里没有 nan",
        "not OOM, it's something else",
        "不是 OOM，是别的问题",
    ],
)
def test_what_it_is_not_is_no_health(text: str) -> None:
    assert session(text).diagnosis().not_understood


def test_that_all_is_well_is_none_to_understand() -> None:
    for text in ("no NaN, everything trains fine", "no errors, the run is healthy"):
        assert not session(text).diagnosis().not_understood


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("how much memory does a 7B need", "medic memory --model"),
        ("7B 训练需要多少显存？", "medic memory --model"),
        ("把学习率调到多少合适", "medic explain"),
        ("which learning rate should I use for lora?", "medic explain learning rate"),
    ],
)
def test_a_question_names_the_command_that_answers_it(text: str, command: str) -> None:
    told_by = answer_to(session(text).told)
    assert told_by is not None
    assert command in told_by.en


@pytest.mark.parametrize("text", ["学习率调到多少合适，现在 loss 不降", "out of memory, why?"])
def test_a_question_beside_a_complaint_is_one(text: str) -> None:
    assert answer_to(session(text).told) is None


def test_a_ranks_own_error_speaks_for_what_shows_it() -> None:
    model = session("loss is nan").model
    kept = Seen("first-failing-rank", "died-of-known-error", of="data-loader-error")
    other = Seen("first-failing-rank", "died-of-known-error", of="cuda-out-of-memory")
    shown = Seen("data-loader-error", "present")
    own = model.beliefs([shown, kept]).chance["unreadable-sample"]
    assert own > model.beliefs([shown, other]).chance["unreadable-sample"]


@pytest.mark.parametrize(
    ("said", "cleared"), [("lr=3e-4", False), ("lr=3e-4, 125M parameters", True)]
)
def test_a_rate_is_cleared_with_the_size_alone(said: str, cleared: bool) -> None:
    found = session(f"the loss diverges, {said}")
    checked = {o.outcome for o in found.evidence.observed if o.name == "learning-rate-too-high"}
    assert ("passes" in checked) == cleared
