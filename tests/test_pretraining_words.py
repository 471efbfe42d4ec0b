"""How people title a pretraining or systems report: what is heard, and beside it what is not."""

from __future__ import annotations

import pytest

from medic.index.knowledge import load
from medic.match import answers, complaints

INDEX = load()


def heard(text: str) -> set[str]:
    return {match.name for match, _ in complaints(text, INDEX)}


@pytest.mark.parametrize(
    ("symptom", "said", "quiet"),
    [
        ("resume-jumps", "Loss curve changes when loading checkpoint", "we resume from a checkpoint every night"),
        ("training-slow", "throughput is much lower than expected", "throughput is as expected"),
        ("training-slow", "2x H100 has the same speed as 1x H100", "speed-up of 3.9 on 4 GPUs"),
        ("training-slow", "every 500 steps one step takes a minute", "every 500 steps a checkpoint is saved"),
        ("throughput-drops", "update_actor step takes progressively longer as training goes on", "the loss goes down slowly"),
        ("loss-is-zero", "the lm loss became 0.0 after some hundred iterations", "the lm loss drops to 2.05"),
        ("initial-loss-too-high", "starting loss is 71 when I load the checkpoint", "the model has 71 layers"),
        ("loss-plateau", "loss 一直在 2.8 左右徘徊", "loss 从 2.8 降到 2.1"),
        ("experts-unbalanced", "one expert gets nothing after 1000 steps", "the model has 64 experts"),
        ("recompiles-repeatedly", "every step recompiles since the lr scheduler was added", "I recompiled apex once"),
        ("checkpoint-not-written", "checkpoint is much smaller than the model", "the checkpoint is as large as the model"),
        ("node-lost", "PC restarts without warning while multi-GPU training", "I rebooted the machine, all well"),
        ("set-ups-disagree", "ZeRO stage 1 has different convergence compared to stage 0 and 2", "ZeRO stage 2 and 3 agree"),
        ("set-ups-disagree", "flash attention gives other loss than sdpa", "flash attention is faster than sdpa"),
        ("number-off-by-a-factor", "打印的 loss 小了 8 倍", "loss 降到原来的一半"),
        ("wrong-gpus-used", "sbatch 多机只有第一台在跑", "每台机器都在跑"),
        ("rollout-slow", "rollout takes 90% of the step time", "rollout works"),
        ("fewer-samples-than-expected", "training stops after 500 steps although max_steps is 1000", "training ends after 1000 steps"),
    ],
)  # fmt: skip
def test_a_title_is_heard(symptom: str, said: str, quiet: str) -> None:
    assert symptom in heard(said)
    assert symptom not in heard(quiet)


def answered(text: str) -> dict[str, str]:
    return {check: outcome for check, outcome, _ in answers(text, INDEX)}


def test_what_alone_tells_of_an_answer_goes_before_what_resembles_another() -> None:
    text = (
        "I compare the loss curves when training is restarted from checkpoint and when training is "
        "started from the beginning without using checkpoint, there are differences.\n"
    )
    assert answered(text)["resume-difference"] != "optimizer-differs"
    told = "There are also differences in the optimizer state."
    assert answered(text + told)["resume-difference"] == "optimizer-differs"


@pytest.mark.parametrize(
    ("cause", "said", "quiet"),
    [
        ("ranks-skip-different-modules", "FSDP training hangs when some batches do not contain images", "some batches do not contain images, the loss is high"),
        ("batch-share-rounds-to-zero", "log_prob_micro_batch_size is 2 and I run on a node with 4 GPUs, it hangs", "global batch size 256 on 8 GPUs, it hangs"),
        ("world-size-not-gpus", "When I set WORLD_SIZE=2 it got stuck during initialization", "I set WORLD_SIZE=2, RANK=0 here and RANK=1 there, it hangs"),
        ("fsdp-wraps-one-unit", "FSDP consumes the same amount of memory as DDP, why?", "FSDP needs half the memory of DDP"),
        ("long-sample-peak", "partial dataset can complete training, but the overall dataset causes OOM", "the whole dataset trains"),
        ("low-precision-on-small-matrices", "the fp8 version is slower than the fp16", "the fp8 version diverges"),
    ],
)  # fmt: skip
def test_what_is_told_of_one_cause_alone(cause: str, said: str, quiet: str) -> None:
    assert answered(said).get("telltale") == cause
    assert answered(quiet).get("telltale") != cause
