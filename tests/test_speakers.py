"""Who speaks in a text that was copied from a thread: the author tells of the run, others of theirs."""

from __future__ import annotations

import pytest

from medic.index.knowledge import load
from medic.told.speakers import own_words
from medic.told.understood import Told

INDEX = load()
HANGS = "My training on 4 GPUs hangs at the end of the first epoch, GPU utilization is 100%."
OTHER = "Our loss became nan after 200 steps in fp16."


@pytest.mark.parametrize(
    "head",
    [
        "ada commented on Mar 4, 2024",
        "ada opened this issue on Mar 2, 2024",
        "ada · comment · 2024-03-04",
        "ada wrote:",
        "ada  March 4, 2024, 9:12am  #2",
    ],
)
def test_posts_of_others_are_left_out(head: str) -> None:
    first = head.replace("ada", "bob").replace("#2", "#1")
    own = own_words(
        f"{first}\n{HANGS}\n\n{head.replace('opened this issue', 'commented')}\n{OTHER}\n"
    )
    assert "hangs at the end" in own
    assert "nan" not in own


@pytest.mark.parametrize(
    ("text", "kept", "gone"),
    [
        (f"{HANGS}\n\nSame here. {OTHER}", "hangs", "nan"),
        (f"{HANGS}\n\nI have the same issue. {OTHER}", "hangs", "nan"),
        ("训练卡住不动，8 卡。\n\n我也遇到了同样的问题，我的 loss 是 nan。", "卡住", "nan"),
        ("楼主：训练卡住不动，8 卡。\n1 楼：当时是 fp16 溢出，loss 是 nan。", "卡住", "nan"),
        (f"# FAQ\n**The loss is nan.** Use bf16.\n\n{HANGS}", "hangs", "nan"),
        ("Q：loss 是 nan 怎么办？A：用 bf16。\n我的训练卡住不动。", "卡住", "nan"),
        (f"> the loss is nan from the start\n\nThat is solved. {HANGS}", "hangs", "nan"),
        (f"{HANGS} Another user: nan in the first step.", "hangs", "nan"),
        (f"{HANGS} A friend's run had a loss of nan in fp16, mine is bf16.", "mine is bf16", "nan"),
        (
            "Saving takes 15 minutes. I am afraid that the loss becomes nan on V100.",
            "Saving",
            "nan",
        ),
        ("Setting NCCL_P2P_DISABLE=1 helps, otherwise it is stuck at the start.", "helps", "stuck"),
    ],
)
def test_what_is_said_by_or_of_others_is_left_out(text: str, kept: str, gone: str) -> None:
    own = own_words(text)
    assert kept in own
    assert gone not in own


@pytest.mark.parametrize(
    "text",
    [
        HANGS,
        "I have the same issue as #312: the loss is nan after 200 steps.",
        f"{HANGS}\n\nSame error with 2 GPUs, and with gloo.",
        f"{HANGS}\n\nI get the same problem with another data set.",
        "My colleague's run is fine, but mine is nan in the same container.",
        "同事的环境能跑，我的不行，loss 是 nan。",
        "> the loss is nan from the start",
        "NCCL wrote:\nring 0 is broken, and the training hangs.",
    ],
)
def test_the_authors_own_words_stay(text: str) -> None:
    assert own_words(text) == text or text.startswith("NCCL")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (
            "DDP hangs at start. I tried to export NCCL_P2P_DISABLE=1. But it didn't work.",
            "p2p-off-does-not-help",
        ),
        ("DDP hangs at start. I set NCCL_P2P_DISABLE=1. Same result.", "p2p-off-does-not-help"),
        ("DDP hangs at start. With NCCL_P2P_DISABLE=1 it runs.", "p2p-off-helps"),
    ],
)
def test_a_try_ends_with_what_it_brought(text: str, outcome: str) -> None:
    told = Told(INDEX)
    told.describe(text)
    assert told.answered["transport-switch"].outcome == outcome
    assert "nccl-error" not in told.reported


def test_the_words_of_a_thread_are_still_compared() -> None:
    told = Told(INDEX)
    told.describe(f"bob wrote:\n{HANGS}\n\nada wrote:\n{OTHER}")
    assert "loss-nan" not in told.reported
    assert "training-hangs" in told.reported
    assert OTHER in told.words
