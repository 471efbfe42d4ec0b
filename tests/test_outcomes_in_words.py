"""Outcomes of checks that a sentence has the words of and does not say, beside sentences that do."""

from __future__ import annotations

import pytest

from medic.index.knowledge import load
from medic.match import alike, answers, complaints

INDEX = load()


def answered(text: str) -> set[str]:
    return {f"{check}={outcome}" for check, outcome, _ in answers(text, INDEX)}


@pytest.mark.parametrize(
    ("outcome", "other", "meant"),
    [
        ("gpu-seen-by-driver=smi-works", "nvidia-smi shows 100% on all gpus", "nvidia-smi lists all gpus"),
        ("gpu-seen-by-driver=smi-works", "the gpu is at 100% all the time, I watched nvidia-smi", "nvidia-smi lists all gpus"),
        ("gpu-seen-by-driver=smi-works", "nvidia-smi does not list gpu 5", "nvidia-smi lists all gpus"),
        ("gpu-seen-by-driver=smi-works", "卡住两个小时了，nvidia-smi 显示所有卡 100%", "nvidia-smi 能看到显卡但 torch 不行"),
        ("gpu-seen-by-driver=smi-works", "nvidia-smi 里少了一张卡", "nvidia-smi 显示所有卡"),
        ("works-at-smaller-scale=single-gpu-works", "512 worked fine last week on the same card", "it works on one gpu"),
        ("works-at-smaller-scale=single-gpu-works", "没有报错，进程直接没了", "单卡可以跑，多卡报错"),
        ("works-at-smaller-scale=single-node-works", "单机多卡都没问题，多机也没问题", "单机没问题，多机就卡住"),
        ("works-at-smaller-scale=fails-on-one-gpu-too", "it fails on every gpu", "fails with a single gpu too"),
        ("slow-onset=from-start", "gets slower every hour, started at 3.2s/step now 5s", "slow from the beginning"),
        ("slow-onset=from-start", "一开始不慢，后来才慢", "一开始就很慢"),
        ("slow-onset=suddenly", "it is slower than on the old cluster", "it suddenly became slow"),
        ("slow-onset=suddenly", "有一台机器比其他慢", "突然变慢"),
        ("slow-onset=at-intervals", "the run got stuck at 37% of the epoch", "pauses at regular intervals"),
        ("stall-point=end-of-epoch", "the run got stuck at 37% of the epoch", "hangs at the end of the epoch"),
        ("stall-point=first-step", "after the hang the gpus stay at 60 degrees", "hangs before the first step"),
        ("stall-point=fixed-step", "rank 3 seems to be stuck, others wait", "always hangs at the same step"),
        ("stall-point=fixed-step", "两台机器一起跑会卡住", "每次都卡在同一步"),
        ("oom-phase=later-step", "oom with batch size 8, batch size 4 works", "oom at step 4"),
        ("oom-phase=first-step", "oom when resuming, the first run was fine", "oom at the first step"),
        ("transport-switch=ib-off-helps", "NCCL_IB_DISABLE=1 makes no difference", "works with NCCL_IB_DISABLE"),
        ("transport-switch=p2p-off-helps", "关闭 P2P 也没用", "关闭 P2P 就好了"),
        ("step-bound=loader-bound", "the dataloader is not the problem, I tried synthetic data", "synthetic data runs much faster"),
        ("host-memory-phase=at-save", "it hangs when saving the checkpoint", "killed while saving the checkpoint"),
        ("host-memory-phase=at-save", "保存检查点的时候卡住", "保存 checkpoint 时被杀"),
        ("start-level=half-way", "loss goes down to 2.1 and then rises to 5", "fine-tuning loss starts at 6 instead of 1"),
        ("plateau-level=at-guessing", "loss 一直不降", "loss 一直是随机猜测的水平"),
        ("nan-precursor=gradients-grew", "梯度范数正常，突然变成 nan", "梯度先爆炸再出现 nan"),
        ("rl-gradient=alive", "训练 loss 下降，验证 loss 上升", "奖励还在上升"),
        ("environment-change=library-upgraded", "it worked yesterday, today it hangs with the same code", "worked before the update"),
    ],
)  # fmt: skip
def test_an_outcome_is_taken_where_its_deciding_words_are(
    outcome: str, other: str, meant: str
) -> None:
    assert outcome not in answered(other)
    assert outcome in answered(meant)


@pytest.mark.parametrize("text", ["gets slower every hour", "越跑越慢"])
def test_what_grows_slower_is_slower_little_by_little(text: str) -> None:
    assert "slow-onset=gradually" in answered(text)


def test_a_crash_that_is_not_at_the_start_is_a_job_that_started() -> None:
    found = complaints("it crashed at step 300 not at the start", INDEX)
    assert "job-not-started" not in {match.name for match, _ in found}


@pytest.mark.parametrize(
    ("well", "ill"),
    [
        ("gpus are not hot, clocks look normal", "gpus are hot, clocks are low"),
        ("频率正常，没有降频", "显卡过热降频"),
    ],
)
def test_cards_that_are_well_read_like_no_reduced_clocks(well: str, ill: str) -> None:
    assert "gpu-clocks-throttled" not in alike(well, INDEX)
    assert "gpu-clocks-throttled" in alike(ill, INDEX)
