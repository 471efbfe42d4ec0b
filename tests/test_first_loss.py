"""A first loss beside ln(vocabulary), as people ask about it."""

from __future__ import annotations

import io
import sys

import pytest

from medic.commands import main
from medic.told.first_loss import of_first_loss


@pytest.mark.parametrize(
    ("words", "guess", "says"),
    [
        ("loss 12.3 在 step 0，vocab 151936，正常吗", "11.93", "near"),
        ("loss is 10.8 at the first step, vocab size 50257, is that ok?", "10.82", "near"),
        ("initial loss 25, vocabulary 32k", "10.37", "above"),
        ("第一步 loss 2.1，词表 151936", "11.93", "below"),
        ("loss 2.1 at step 3000, vocab 151936", "", ""),
        ("loss is 11.9 at the start", "", ""),
    ],
)
def test_a_first_loss_is_held_against_ln_of_the_vocabulary(
    words: str, guess: str, says: str
) -> None:
    told = of_first_loss(words)
    assert (told is not None) == bool(guess)
    if told is not None:
        assert guess in told.en
        assert guess in told.zh
        assert f" is {says} it" in " ".join(told.en.split())


def test_the_report_answers_a_question_about_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "loss 12.3 在 step 0，vocab 151936，正常吗\n".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(words), encoding="utf-8"))
    assert main(["diagnose", "-", "--lang", "zh"]) == 0
    out = capsys.readouterr().out
    assert "11.93" in out
    assert "不清楚指的是" not in out
