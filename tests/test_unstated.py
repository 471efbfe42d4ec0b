"""What a description does not state of the run is no evidence; each with a twin that does state it."""

from __future__ import annotations

import pytest

from medic.case.collect import Case
from medic.index.knowledge import load
from medic.session.consultation import Session
from medic.told.unstated import without_unstated

INDEX = load()
RUN = "I train a 7B model on 8 GPUs and the validation loss rises from the second epoch on. "
FORM = "### Expected behavior\nGPU memory usage should not grow.\n\n### What happens\n"


def told(words: str) -> Session:
    session = Session(INDEX, Case())
    session.complain(words)
    return session


@pytest.mark.parametrize(
    ("unstated", "stated", "name"),
    [
        ("Did you check whether your loss is nan?", "The loss is nan.", "loss-nan"),
        (
            "If you see a CUDA out of memory error, open an issue.",
            "CUDA out of memory.",
            "cuda-out-of-memory",
        ),
        ("You can lower the rate where your loss diverges.", "My loss diverges.", "loss-diverges"),
        ("Loss spikes can show up for many reasons.", "The loss spikes.", "loss-spike"),
        ("I'm no longer encountering the NaN loss.", "I'm encountering a NaN loss.", "loss-nan"),
        ("One hypothesis is that the loss diverges.", "The loss diverges.", "loss-diverges"),
        (
            "I have not tested if it hangs with two nodes.",
            "It hangs with two nodes.",
            "training-hangs",
        ),
        ("The docs say the loss may be nan with fp16", "The loss is nan with fp16", "loss-nan"),
        ("It is ok for the loss to be nan at times.", "The loss is nan at times.", "loss-nan"),
    ],
)
def test_what_is_not_stated_is_no_complaint(unstated: str, stated: str, name: str) -> None:
    assert name not in told(RUN + unstated).complaints
    assert name in told(RUN + stated).complaints


@pytest.mark.parametrize(
    ("unstated", "stated", "check", "outcome"),
    [
        ("maybe the lr is too small, 1e-6", "用的 bf16", "precision-in-use", "wide-range"),
        (
            "What I can try:\n- bf16 混合精度\n- lower lr",
            "bf16 混合精度",
            "precision-in-use",
            "wide-range",
        ),
    ],
)
def test_a_guess_answers_no_check(unstated: str, stated: str, check: str, outcome: str) -> None:
    assert check not in told(RUN + "\n" + unstated).told.answered
    assert told(RUN + "\n" + stated).told.answered[check].outcome == outcome


def test_a_short_question_is_read_as_a_whole() -> None:
    assert without_unstated("maybe a memory leak?") == "maybe a memory leak?"
    assert without_unstated("Try a lower rate. " * 20).strip() == ""


@pytest.mark.parametrize(
    "kept",
    [
        "Try to resume, but the loss is nan.",
        "- reduced the batch size: still out of memory",
        "As training goes on the loss increases.",
        "if I use bf16 the loss is nan",
        "I expected a lower loss but it rises",
        "换成 zero3 之后还是 OOM",
    ],
)
def test_what_tells_a_result_stays(kept: str) -> None:
    assert without_unstated(f"It fails on 8 GPUs.\nWhat I tried:\n{kept}").endswith(kept)


def test_a_line_cites_the_sentence_that_says_it() -> None:
    words = (
        f"{FORM}Training is fine at first. GPU memory grows with every step, maybe a leak. Help!"
    )
    session = told(words)
    quote = session.told.reported["gpu-memory-grows"].quote
    assert quote == "GPU memory grows with every step, maybe a leak."


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("the stack of the run was observed during the evaluation of two images", "training-hangs"),
        ("I train a 3D segmentation model", "process-crashed-by-signal"),
        ("this leads to really slow operations", "gpu-memory-grows"),
        ("loss 仍在平稳下降，只是越来越慢", "throughput-drops"),
        ("merging them degrades the model's performance on my tokens", "throughput-drops"),
        ("DDP with 4 cards is slower than one card", "throughput-drops"),
        ("GPU 显存使用率很低", "gpu-starved"),
        ("the message came when I killed the job", "host-out-of-memory"),
    ],
)
def test_words_of_two_senses(words: str, name: str) -> None:
    assert name not in told(words).complaints


def test_json_of_evidence_holds_each_place_that_the_text_shows() -> None:
    from medic.facts import Source
    from medic.i18n import Text
    from medic.report.jsonform import _evidence
    from medic.session.diagnosis import EvidenceLine

    first, second = Source("a.log", 3, text="one"), Source("b.log", 9, rank=2, text="two")
    line = EvidenceLine(
        "check", "nan-onset", "first-step", Text("t", "t"), first, "weak", (second,)
    )
    found = _evidence(line)
    assert (found["outcome"], found["source"]["line"]) == ("first-step", 3)
    assert [(one["file"], one["line"], one["rank"], one["text"]) for one in found["more"]] == [
        ("b.log", 9, 2, "two")
    ]
