"""Sentences with the words of an entry that say something else, beside their twins that mean it."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.match import answers, complaints, told_of
from medic.match.sayings import contrary, denied
from medic.match.usual import expected
from medic.session.consultation import Session
from medic.told.unable import in_reach_first
from medic.told.understood import Told

INDEX = load()


RISES = "validation-loss-rises"


def reported(text: str) -> set[str]:
    return {match.name for match, _ in complaints(text, INDEX)}


def answered(text: str) -> set[str]:
    return {f"{check}={outcome}" for check, outcome, _ in answers(text, INDEX)}


@pytest.mark.parametrize(
    "text",
    [
        "The eval loss goes down along with the train loss.",
        "Dev loss does not increase while train loss decreases.",
        "train loss decreases, eval loss decreases too",
        "eval loss 没有上涨，train loss 持续下降",
        "训练集和验证集的 loss 都在下降",
        "验证集 loss 不升，训练集 loss 下降",
    ],
)
def test_a_validation_loss_that_falls_is_no_rising_one(text: str) -> None:
    assert RISES not in reported(text)
    assert "validation-gap=validation-turns-up" not in answered(text)
    assert RISES in denied(text, INDEX)


@pytest.mark.parametrize(
    "text",
    [
        "The eval loss goes up while the train loss goes down.",
        "eval loss stops falling and rises from epoch 2, train loss decreases",
        "eval loss 上涨，train loss 持续下降",
        "验证集 loss 不降反升，训练集 loss 下降",
    ],
)
def test_a_validation_loss_that_rises_is_told(text: str) -> None:
    assert RISES in reported(text)
    assert RISES not in denied(text, INDEX)


@pytest.mark.parametrize(
    "text",
    [
        "validation accuracy drops while the training loss falls",
        "C-Eval 微调后从 71 降到 40，loss 正常",
        "the eval loss has not fallen since the start",
    ],
)
def test_what_is_no_falling_validation_loss_denies_no_rise(text: str) -> None:
    assert RISES not in denied(text, INDEX)


@pytest.mark.parametrize(
    ("name", "other", "meant"),
    [
        ("loss-nan", "the loss never turned into NaN", "the loss turned into NaN"),
        ("loss-nan", "loss 从未出现 nan", "loss 出现 nan"),
        ("loss-nan", "no NaN, no inf", "no inf at first, then loss is NaN"),
        ("loss-is-zero", "the loss at step 0 was 11.9", "the loss is 0 since step 0"),
        ("loss-is-zero", "learning rate is 0.0, the loss stays at 9", "loss and lr are 0.0"),
        ("loss-is-zero", "学习率一直是 0，loss 停在 9", "loss 和学习率一直是 0"),
        (
            "gradient-clipping-rises",
            "the gradient clip is set to 1.0",
            "the gradient is clipped at every step",
        ),
        ("gradient-clipping-rises", "梯度裁剪用的 1.0", "梯度裁剪越来越频繁"),
        (
            "loss-jump-timing=with-gradient-growth",
            "spikes, grad norm clipped at 0.5",
            "spikes after the grad norm rises",
        ),
        ("loss-scale-collapses", "用 bf16，loss 爆了", "loss scale 一直减半"),
        (
            "throughput-drops",
            "tokens/s is up since the update",
            "tokens/s went up, and then dropped by half",
        ),
        ("throughput-drops", "第一步很慢，之后每步 2 秒", "第一步很快，之后越来越慢"),
        (
            "learning-rate-range=lower-is-better",
            "We used a smaller lr.",
            "With a smaller lr it is stable.",
        ),
        (
            "learning-rate-not-as-set",
            "loss 从 2.0 降到 1.2 然后就不动了，学习率 2e-5 cosine",
            "loss 不动了，日志里的学习率和配置的不同",
        ),
        (
            "learning-rate-range=lower-is-better",
            "loss 从 2.0 降到 1.2 然后就不动了，学习率 2e-5 cosine",
            "学习率从 1e-4 降到 1e-5，loss 就稳定了",
        ),
        (
            "gpu-memory-held=none-held",
            "GPU 利用率忽高忽低，每隔几秒掉到 0，nvidia-smi 显存正常，CPU 100%",
            "训练时 nvidia-smi 显存占用是 0，CPU 100%",
        ),
        (
            "gpu-memory-held=none-held",
            "GPU utilization drops to 0, GPU memory is fine",
            "loss falls, no process of mine in nvidia-smi during training",
        ),
        (
            "nan-gradient=gradient-nan",
            "gradients are fine, yet the loss is nan at step 1",
            "gradients are nan, and the loss is nan at step 1",
        ),
        ("nan-gradient=gradient-nan", "梯度一直正常，loss 变 nan", "梯度也是 nan，loss 变 nan"),
        (
            "zero-loss-gradient=gradient-nan",
            "the loss is nan and grad norm is nan at step 1",
            "the loss is 0.0 and grad norm is nan",
        ),
        ("learning-rate-stated=very-high", "the lr is 5e-5", "the lr is 5e-3"),
        ("learning-rate-stated=high", "lr 用了 1e-5", "lr 用了 1e-3"),
        (
            "variant-that-works=wider-precision",
            "We train in bf16, NaN at step 9",
            "after we switched to bf16 no NaN",
        ),
        ("nan-onset=during-warmup", "more warmup, NaN at step 5000", "NaN during warmup"),
        ("resume-fails", "it crashed before resuming", "it crashed after resuming"),
        (
            "metric-beside-loss=improves-while-loss-rises",
            "train loss falls from 2 to 1, val loss rises",
            "val loss rises, F1 rises",
        ),
        (
            "metric-beside-loss=falls-too",
            "val loss falls, accuracy unchanged",
            "val loss rises, accuracy drops",
        ),
    ],
)
def test_whose_number_and_which_verb_tells_them_apart(name: str, other: str, meant: str) -> None:
    assert contrary(name, other, INDEX)
    assert not contrary(name, meant, INDEX)


@pytest.mark.parametrize(
    ("usual", "trouble"),
    [
        (
            "Small spikes now and then, the loss is back after 20 steps. Is this ok?",
            "Spikes now and then, larger every time, and it does not recover. Is this ok?",
        ),
        ("偶尔有毛刺，十几步就回落了，要管吗？", "毛刺越来越频繁，要管吗？"),
        (
            "With compile the first step takes 3 minutes, then 2 s each. Normal?",
            "With compile it recompiles, first step 3 minutes, then slow again. Normal?",
        ),
        (
            "lr is 0.0 at the first step and rises in the warmup, is that a bug?",
            "lr is always 0.0 from the first step of the warmup, nothing rises, is that a bug?",
        ),
        (
            "Entropy falls slowly, reward rises and eval rises. Is that collapse?",
            "Entropy falls to zero, slowly; reward rises, eval repeats itself. Is that collapse?",
        ),
        (
            "The checkpoint folder is 98 GB, the model 14 GB. Is it broken?",
            "The checkpoint folder is 3 GB, the model 14 GB. Is it broken?",
        ),
        (
            "速度提高了 10%，什么都没改，有问题吗？",
            "速度之前更快，什么都没改，现在变慢，有问题吗？",
        ),
    ],
)
def test_what_any_sound_run_does_is_no_complaint(usual: str, trouble: str) -> None:
    assert expected(usual, INDEX)
    assert not expected(trouble, INDEX)


@pytest.mark.parametrize(
    ("lost", "not_lost"),
    [
        (
            "GSM8K fell from 70 to 41 after SFT on our tickets",
            "GSM8K rose from 41 to 70 after SFT on our tickets",
        ),
        (
            "BBH 微调后从 61 分掉到 40 分",
            "BBH 微调后从 61 分掉到 40 分，用的是量化后的模型",
        ),
        (
            "After fine-tuning, MBPP dropped to 20 -> 11",
            "MBPP dropped to 20 -> 11 with another prompt format",
        ),
    ],
)
def test_a_benchmark_that_a_fine_tuning_lowered_is_a_complaint(lost: str, not_lost: str) -> None:
    assert told_of(lost, INDEX)
    assert "abilities-lost" in reported(f"{lost}. No NaN, loss is fine. What should we do?")
    assert not told_of(not_lost, INDEX)


def test_a_benchmark_that_fell_is_not_at_ease() -> None:
    told = Told(INDEX)
    told.describe("Loss looks fine, but CMMLU fell from 66 to 30 after SFT. What should we do?")
    assert not told.at_ease


@pytest.mark.parametrize(
    ("without", "with_it"),
    [
        ("a T4 cannot do bf16", "an A100 can do bf16"),
        ("这张卡不支持 bf16", "这张卡支持 bf16"),
        ("two 2080 Ti, fp16", "two 4090, fp16"),
        ("moved to a V100", "moved from a V100 to an A100"),
    ],
)
def test_a_remedy_that_the_card_cannot_do_comes_last(without: str, with_it: str) -> None:
    remedies = [INDEX.remedies[n] for n in ("use-bf16", "keep-wide-ops-in-fp32")]
    assert [r.name for r in in_reach_first(remedies, without, INDEX)][-1] == "use-bf16"
    assert next(r.name for r in in_reach_first(remedies, with_it, INDEX)) == "use-bf16"


@pytest.mark.parametrize(
    ("log", "first"),
    [
        ("safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge\n",
         "fetch-checkpoint-again"),
        ("_pickle.UnpicklingError: invalid load key, 'v'.\n", "fetch-checkpoint-again"),
        ("safetensors_rust.SafetensorError: Error while deserializing header: "
         "MetadataIncompleteBuffer\n", "resume-from-previous-checkpoint"),
    ],
)  # fmt: skip
def test_the_remedy_that_the_evidence_asks_for_leads(tmp_path: Path, log: str, first: str) -> None:
    path = tmp_path / "train.log"
    path.write_text("Traceback (most recent call last):\n" + log)
    session = Session(INDEX, collect([str(path)], index=INDEX, this_host=False))
    session.look()
    assert session.fixes("checkpoint-truncated")[0].remedy.name == first


def _first(text: str) -> str:
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX))
    session.look()
    return next((cause.name for cause in session.diagnosis().causes), "")


@pytest.mark.parametrize(
    "text",
    [
        "CMMLU 微调后从 66 降到 41",
        "Loss is fine, but MBPP fell from 44 to 19 after SFT on legal questions. lr 3e-5, 2 epochs.",
    ],
)
def test_a_benchmark_that_fell_leads_to_what_overwrote_it(text: str) -> None:
    assert _first(text) == "old-abilities-overwritten"


def test_likeness_does_not_lead_to_a_rise_that_is_denied() -> None:
    assert _first("train loss 下降，验证 loss 下降，训了 3 个 epoch") != "small-data-memorised"
    assert _first("train loss 下降，验证 loss 上升，训了 3 个 epoch") == "small-data-memorised"


@pytest.mark.parametrize(
    ("name", "text", "other"),
    [
        (
            "gpu-starved",
            "GPU utilization drops to 0 every few seconds, GPU memory is fine, CPU at 100%",
            "GPU utilization is at 97%, GPU memory is fine, CPU at 40%",
        ),
        ("gpu-starved", "GPU 利用率每隔几秒掉到 0，显存正常", "GPU 利用率 97%，显存正常"),
        (
            "throughput-drops",
            "throughput drops every 100 steps, loss is fine",
            "learning rate drops to 0 at the end, loss is fine",
        ),
        (
            "gradient-vanishes",
            "grad norm falls to 0.0, loss looks normal",
            "grad norm falls to 0.4, loss looks normal",
        ),
    ],
)
def test_what_is_well_denies_nothing_of_the_rest(name: str, text: str, other: str) -> None:
    told, quiet = Told(INDEX), Told(INDEX)
    told.describe(text)
    quiet.describe(other)
    assert name in told.complaints
    assert not told.at_ease
    assert quiet.at_ease
