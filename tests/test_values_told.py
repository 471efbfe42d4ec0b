"""Values, and what a switch brought, told in words: what is heard, and beside it what is not."""

from __future__ import annotations

import pytest

from medic.index.knowledge import load
from medic.match import answers, complaints

INDEX = load()


def heard(text: str) -> set[str]:
    """Symptoms, and answers as "check=outcome"."""
    said = {f"{check}={outcome}" for check, outcome, _ in answers(text, INDEX)}
    return said | {match.name for match, _ in complaints(text, INDEX)}


@pytest.mark.parametrize(
    ("what", "said", "quiet"),
    [
        (
            "telltale=activation-checkpointing-inactive",
            "enabled activation recompute for the 13B, and the memory peak did not move at all",
            "enabled activation recompute for the 13B, and the memory peak fell by a third",
        ),
        (
            "gpu-memory-above-expectation",
            "重计算已经打开，峰值纹丝不动，还是68G",
            "重计算已经打开，峰值从 68G 掉到 31G",
        ),
        (
            "telltale=attention-not-fused",
            "our 16k run takes twice as long as theirs, the log has attn_implementation: eager",
            "the 16k run gives nan unless it is eager attention, speed does not matter",
        ),
        (
            "telltale=attention-not-fused",
            "同样八张卡，我们一步慢三倍，启动日志里写的是eager注意力",
            "速度太慢，换成eager注意力也一样",
        ),
        (
            "learning-rate-shape=reaches-floor-early",
            "the lr is at its minimum since step 8k, and the job goes on to 30k",
            "the lr is at its minimum at step 30k of 30k",
        ),
        (
            "learning-rate-collapsed",
            "总共30000步，学习率8000步就到最小值了，之后loss是平的",
            "总共30000步，学习率在30000步到最小值",
        ),
        (
            "telltale=early-stopping-ended-run",
            "asked for 40 epochs, it ended normally at epoch 6; early stopping is in the callbacks",
            "asked for 40 epochs, it ended normally at epoch 6; no early stopping",
        ),
        (
            "stopped-without-a-word",
            "设了50轮，第8轮就正常退出了，脚本里有早停",
            "50轮跑完正常退出，早停没触发",
        ),
        (
            "gpu-clocks=one-lower",
            "node 7 is slow, its clocks are at 1005 MHz while the others are at 1755",
            "node 7 is slow, its clocks are at 1980 MHz instead of 1755",
        ),
        (
            "telltale=gpu-clocks-throttled",
            "空调停了之后，那台机器频率从1980掉到1100，训练变慢",
            "显存频率从1980掉到1100，是我们锁频的",
        ),
        (
            "telltale=checkpoints-too-frequent",
            "we save every 15 steps and most of the wall time goes into saving",
            "we save every 2000 steps and most of the wall time goes into saving",
        ),
        (
            "telltale=checkpoints-too-frequent",
            "每20步存一次，大部分时间在落盘",
            "每20步存一次，落盘很快",
        ),
        (
            "data-parallel-in-use=data-parallel",
            "plain python on the 8-GPU node with SFTTrainer: gpu 0 is full, the others nearly empty",
            "torchrun on the 8-GPU node with SFTTrainer: gpu 0 is full, the others nearly empty",
        ),
        (
            "data-parallel-in-use=data-parallel",
            "没用torchrun，Trainer起来之后0号卡爆满，其余几张很空",
            "用torchrun起的Trainer，0号卡爆满，其余几张很空",
        ),
        (
            "telltale=nccl-version-faulty",
            "all-reduce hangs at random since the base image moved; with the older NCCL it works",
            "all-reduce hangs at random; with the older NCCL it still does",
        ),
        (
            "telltale=nccl-version-faulty",
            "升级基础镜像之后随机卡住，换回原来的NCCL就正常",
            "随机卡住，换回原来的NCCL还是卡",
        ),
        (
            "reward-up-quality-down",
            "the reward is almost at its maximum, and what it writes is empty praise of the user",
            "the reward is almost at its maximum, and what it writes has no filler",
        ),
        (
            "telltale=reward-exploited",
            "奖励接近满分，抽查回答全是空话和奉承",
            "奖励接近满分，抽查回答没有空话",
        ),
        (
            "rl-learning-rate=high",
            "grpo with all weights, lr 2e-5: the kl ran away within thirty steps",
            "grpo with all weights, lr 1e-6, the kl is at 0.02",
        ),
        (
            "kl-explodes",
            "强化学习，actor学习率5e-5，三十步之后kl飙到几百",
            "强化学习，actor学习率1e-6，kl在0.05左右",
        ),
        (
            "learning-rate-shape=at-peak-from-start",
            "loss goes from 10.9 to 27 in the first few steps, the lr has its full value from step 0",
            "loss goes from 10.9 to 8 in the first few steps, the lr has its peak at step 500",
        ),
        (
            "loss-spike",
            "最初几步loss从10.9冲到27，学习率一上来就是峰值",
            "最初几步loss从10.9降到7，学习率第500步到峰值",
        ),
    ],
)  # fmt: skip
def test_a_value_that_is_told_is_heard(what: str, said: str, quiet: str) -> None:
    assert what in heard(said)
    assert what not in heard(quiet)


@pytest.mark.parametrize(
    ("not_meant", "text"),
    [
        ("loss-is-zero", "lr went to 0 at step 6k while the run goes on until 24k, loss is flat"),
        ("rank-exited", "the job exited with code 0 at epoch 4, early stopping with patience 3"),
        ("throughput-drops", "a step takes 3 times what the other team gets"),
        ("training-slow", "loss从11冲到28再慢慢降下来"),
    ],
)
def test_the_words_of_another_matter_are_not_heard(not_meant: str, text: str) -> None:
    assert not_meant not in heard(text)
