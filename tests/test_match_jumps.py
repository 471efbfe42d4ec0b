"""A jump of the loss is told as such, whatever the text says of afterwards."""

from __future__ import annotations

import pytest

from medic.index.knowledge import load
from medic.match import answers, complaints
from medic.match.jumps import jump_of_loss

INDEX = load()
JUMPS = [
    "学习率 3e-4，训练到 5000 步 loss 突然从 2.3 飙到 7，然后一直降不下来",
    "训练到 3000 步 loss 从 1.9 跳到 6.5，之后不再下降",
    "loss 一开始正常下降，突然飙升到 9，后面降不下去了，没有裁剪",
    "7B 预训练，没有梯度裁剪，loss 在 2000 步从 3.1 突增到 7.8，然后卡住不动",
    "Loss suddenly jumps from 2.3 to 7 at step 5000 and does not come down any more, lr 3e-4",
    "At step 8000 the loss shoots up from 1.8 to 6.9 and then does not fall. No grad clipping.",
    "loss spikes from 2.1 to 7.4 at step 12k and stays there, it doesn't decrease afterwards",
    "Loss explodes from 2.0 to 9.5 after warmup, then it is stuck and does not go down",
]


@pytest.mark.parametrize("text", JUMPS)
def test_a_jump_is_no_plateau(text: str) -> None:
    told = {match.name for match, _ in complaints(text, INDEX)}
    assert told & {"loss-spike", "loss-diverges"}
    assert not told & {"loss-plateau", "training-hangs", "gradient-vanishes"}
    assert "plateau-level" not in {check for check, _, _ in answers(text, INDEX)}


@pytest.mark.parametrize(
    "text",
    [
        "loss does not fall, it stays at 10.8 from the first step",
        "loss went from 7 to 2.3 and now does not fall",
        "the loss never suddenly explodes, it only does not fall",
        "loss 一直降不下来，没有突然飙升",
        "memory jumps from 20 to 70 GB. The loss does not fall.",
    ],
)
def test_what_does_not_rise_is_no_jump(text: str) -> None:
    assert jump_of_loss(text) == ""


def test_missing_clipping_is_no_missing_gradient() -> None:
    told = {match.name for match, _ in complaints("No grad clipping. The loss is noisy.", INDEX)}
    assert "gradient-vanishes" not in told
