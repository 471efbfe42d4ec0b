"""What a model wrote, shown in a log between two lines that say so."""

from __future__ import annotations

from typing import Any

import pytest

from medic.facts import LogHits

STEPS = [f"step {n} | loss {3 - n / 500:.4f} | lr 1.00e-05" for n in range(10, 310, 10)]
SAID = [
    "<|assistant|> Reduce the batch size:",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    "step 100 loss nan",
]
BLOCKS = [
    ("--- sample generation @ step 250 ---", "--- end of sample ---"),
    ("======== Generated text (step 250) ========", "=" * 44),
    ("[2026-03-01 10:00:00][INFO] === model output ===", "[2026-03-01 10:00:01][INFO] === end of model output ==="),
    ("*** 生成的样例 ***", "*** 样例结束 ***"),
    ("<completion>", "</completion>"),
]  # fmt: skip


def failed(read: Any, lines: list[str]) -> set[str]:
    logs: LogHits = read("\n".join(lines) + "\n")[LogHits]
    named = {h.symptom for h in logs.hits if not h.benign and h.role in ("root", "either")}
    nan = any(s.values.get("loss", 0.0) != s.values.get("loss", 0.0) for s in logs.steps)
    return named | ({"loss-nan"} if nan else set())


@pytest.mark.parametrize(("first", "last"), BLOCKS)
def test_what_a_model_wrote_is_not_read(read: Any, first: str, last: str) -> None:
    assert failed(read, [*STEPS, first, *SAID, last]) == set()


@pytest.mark.parametrize(("first", "last"), BLOCKS)
def test_what_comes_behind_it_is(read: Any, first: str, last: str) -> None:
    told = failed(read, [*STEPS, first, SAID[0], last, *SAID[1:]])
    assert "loss-nan" in told


@pytest.mark.parametrize(("first", "last"), BLOCKS)
def test_a_text_that_never_ends_hides_nothing(read: Any, first: str, last: str) -> None:
    assert "loss-nan" in failed(read, [*STEPS, first, *SAID])


def test_a_headline_hides_nothing(read: Any) -> None:
    lines = ["===== Training =====", *STEPS, *SAID, "=" * 20]
    assert "loss-nan" in failed(read, lines)
