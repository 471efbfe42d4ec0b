"""Texts that ask for advice on a good run, or tell how a fault was mended."""

from __future__ import annotations

import pytest

from medic.match import seeks_advice, tells_settled


@pytest.mark.parametrize(
    "text",
    [
        "Loss 1.41 -> 1.07 over the epoch. Would a higher rate be better?",
        "sdpa is in use and it trains normally. Should I install flash-attn?",
        "Two cards, both busy at 97 %. I only want to know if cu124 would be faster.",
        "I was afraid that it could diverge, it works. Is warmup of 500 steps worth it?",
        "续训之后 loss 完全接上。要不要设置 resume=must？",
    ],
)
def test_advice_on_a_good_run_is_no_complaint(text: str) -> None:
    assert seeks_advice(text)


@pytest.mark.parametrize(
    "text",
    [
        "The loss is nan after 300 steps. Should I lower the rate?",
        "On one GPU it works. With two it hangs. Do I need an option?",
        "Loss 0.69 -> 0.69 after 500 steps. What could be the reason?",
        "The fine-tune answers with garbage. Is the template wrong?",
        "GPU util 25%, one step takes 14 minutes. Is it normal to be this slow?",
        "多卡训练卡住，单卡正常。请问为什么？",
        "training loss goes down but eval loss goes up, what should I do?",
        "The train loss falls. Eval accuracy does not. What should we do about it?",
    ],
)
def test_a_complaint_with_a_question_stays_one(text: str) -> None:
    assert not seeks_advice(text)


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("It hung in save. The rank guard was in the wrong place. Solved.", True),
        ("With 4.30.0 it stopped; upgrading fixed it.\nThanks all,\nclosing.", True),
        ("Harder prompts never get solved after that. Entropy is 0.03.", False),
        ("Upgrading fixed it. Now the second rank hangs in save.", False),
    ],
)
def test_what_is_settled_is_told_at_the_end(text: str, settled: bool) -> None:
    assert tells_settled(text) == settled
