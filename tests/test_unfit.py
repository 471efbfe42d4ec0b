"""What a person wrote leaves no room for some causes, however alike their words are."""

from __future__ import annotations

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.match import sayings_of
from medic.match.ease import complains_not
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis

INDEX = load()


def _answered(text: str) -> Diagnosis:
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX))
    session.look()
    return session.diagnosis()


def _first(text: str) -> str:
    return next((cause.name for cause in _answered(text).causes), "")


@pytest.mark.parametrize(
    "text",
    [
        "PPO, reward is always 0, the format looks fine",
        "the validation step runs out of memory, the training loop is fine",
        "saving fails at the end of the epoch, everything before works fine",
        "loss is fine, generation just repeats the same sentence",
        "evaluation raises an error on the last batch, training is fine",
        "训练 loss 正常，推理输出都是乱码",
        "评估阶段报错退出，训练本身没问题",
        "数据看着没问题，loss 一直是 0",
        "GPU 显存正常，训练跑到一半就卡死",
        "答案格式没问题，奖励一直是 0",
    ],
)
def test_what_is_well_beside_a_complaint_does_not_hide_it(text: str) -> None:
    assert _answered(text).verdict not in ("no-fault-seen", "healthy")


@pytest.mark.parametrize(
    "text",
    [
        "loss is going down, gpu util is fine",
        "We saw a spike at step 2000, it recovered, the run is fine",
        "训练正常，推理也正常",
        "收敛正常，显存正常，速度也没问题",
        "loss 一开始 11.2，现在 2.3，一切正常",
    ],
)
def test_what_is_well_in_all_its_parts_stays_quiet(text: str) -> None:
    assert _answered(text).verdict == "no-fault-seen"


@pytest.mark.parametrize(
    "text",
    [
        "one of 48 hosts is slow, without it mfu goes from 30 to 41",
        "a node is slower than the rest and all wait for it",
        "this node is 30% slower than the others, step time follows",
        "有一台机器特别慢，踢掉之后 MFU 从 30 涨到 41",
        "其中一个节点明显慢，其他节点都在等",
    ],
)
def test_a_slow_machine_is_told_and_not_established(text: str) -> None:
    found = _answered(text)
    assert found.causes[0].name == "one-node-slows-all"
    assert found.verdict == "likely"


@pytest.mark.parametrize(
    "text",
    [
        "two nodes, training hangs after 5 hours",
        "four nodes, it gets stuck halfway, gpu util 100%",
        "hangs at step 4200 on two machines, util is 100%",
        "多机训练跑了三个小时后卡住，利用率 100%",
        "两台机器，训练中途卡死",
    ],
)
def test_what_had_run_is_not_stopped_by_a_cause_of_the_start(text: str) -> None:
    phases = set(INDEX.ties.causes[_first(text)].phases)
    assert not ("launch" in phases and phases <= {"launch", "first-steps"})


@pytest.mark.parametrize(
    "text",
    ["bf16 训练 loss 突然变 nan", "bf16, NaN at step 3000", "we train in bf16 and the loss is NaN"],
)
def test_bf16_is_no_overflow_of_fp16(text: str) -> None:
    assert _first(text) != "fp16-overflow"


def test_fp16_that_bf16_mends_still_is() -> None:
    assert _first("loss is nan in fp16, fine in bf16, V100") == "fp16-overflow"


@pytest.mark.parametrize(
    "text",
    [
        "grad norm 0",
        "the gradient norm is exactly zero",
        "梯度范数一直是 0",
    ],
)
def test_no_cause_of_reinforcement_leads_where_nothing_tells_of_it(text: str) -> None:
    assert INDEX.raw["causes"][_first(text)]["family"] not in ("rl", "rollout", "ray", "moe")


@pytest.mark.parametrize(
    "text",
    [
        "After restart from checkpoint the loss blows up",
        "the job was requeued, and after restoring the checkpoint the loss jumped",
        "resumed from step 8000 and the loss shoots up",
        "断点续训之后 loss 直接飞了",
        "从 checkpoint 恢复后 loss 高了一截",
    ],
)
def test_a_resumed_run_whose_loss_is_off_leads_to_the_resume(text: str) -> None:
    shown = {symptom for symptom, _ in INDEX.ties.causes[_first(text)].shows}
    assert "resume-jumps" in shown


@pytest.mark.parametrize(
    "text",
    [
        "MoE load is uneven, the aux loss coefficient is set to 0.01",
        "MoE 专家不均衡，aux loss 也不降",
    ],
)
def test_a_balance_loss_that_is_on_is_not_off(text: str) -> None:
    assert _first(text) != "balance-loss-off"


def test_a_loss_at_guessing_from_the_start_is_of_untrained_weights() -> None:
    assert _first("loss is 11.9 from the start (vocab 151k)") == "layers-not-loaded"


def test_a_cure_is_ease() -> None:
    assert complains_not("the run is fine, it recovered")


@pytest.mark.parametrize(
    "text",
    [
        "We collect a dataset of one million dialogs and train on it, the loss stays at 2.0",
        "we collected the data from the web, training is slow",
    ],
)
def test_who_collects_data_tells_of_no_garbage_collection(text: str) -> None:
    assert "garbage-collection-pauses" not in [cause.name for cause in _answered(text).causes[:2]]


@pytest.mark.parametrize(
    "text",
    [
        "训练到一半卡住了，GPU 利用率 100%，没有报错",
        "八卡训练中途 hang 住，进度条不走，利用率 100%",
        "training got stuck in the middle, all GPUs at 100%, no error",
        "the run hangs after a few hours without any message, utilisation 100%",
    ],
)
def test_no_setting_that_is_not_named_leads(text: str) -> None:
    first = _first(text)
    assert first
    asked = INDEX.told["of"].get(first, ())
    say = sayings_of(INDEX)
    assert not asked or any(say.says(one, text) for one in asked)


def test_a_setting_that_is_named_leads() -> None:
    assert _first("Mixtral 用 zero3 训练，跑十几步就卡住，GPU 100% 没日志") == (
        "zero3-skips-unused-experts"
    )


@pytest.mark.parametrize(
    "text", ["loss 0 with zero3 offload", "loss is 0 with lora", "开了 fp8 之后 loss 一直是 0"]
)
def test_the_name_of_a_setting_is_no_fault(text: str) -> None:
    first = _answered(text).causes[0]
    assert "loss-is-zero" in first.explains


def test_a_stated_value_is_given_and_no_description() -> None:
    text = "显存不足，序列长度 4096，批大小是 8"
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX))
    session.look()
    assert session.case.given == {"sequence_length": 4096}
    assert "4096" not in session.told.words
    assert "8" not in session.told.words
    assert session.told.reported["cuda-out-of-memory"].plain


def test_what_is_given_is_not_overruled_by_words() -> None:
    text, given = "OOM, seq len 4096", {"sequence_length": 512}
    case = collect([], text=text, given=given, this_host=False, index=INDEX)
    session = Session(INDEX, case)
    session.look()
    assert session.case.given == given


def test_a_message_at_the_head_of_a_long_sentence_is_told() -> None:
    text = (
        "Loss is nan in some of the steps and fine in the others, and these have a prompt that is "
        "longer than the limit.\n{'loss': nan, 'grad_norm': nan, 'epoch': 0.1}\n"
    )
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX))
    session.look()
    assert "longer than the limit" in session.told.words
