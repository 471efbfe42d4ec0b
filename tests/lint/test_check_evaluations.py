"""Evaluations that take more work than the training between them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
NANOGPT = (
    "out_dir = 'out'\neval_interval = {every}\neval_iters = {batches}\nlog_interval = 10\n"
    "batch_size = 12\nblock_size = 256\ngradient_accumulation_steps = {accumulated}\n"
    "max_iters = {total}\nlr_decay_iters = {total}\nlearning_rate = 1e-3\n"
)


def told(lint_text: Lint, text: str, name: str = "config.py") -> list[int]:
    found = lint_text(text, name)
    return [f.line for f in found if f.name == "save-or-evaluate-too-often"]


@pytest.mark.parametrize(
    ("every", "batches", "accumulated", "total", "lines"),
    [
        (10, 200, 1, 2000, [2]),
        (10, 200, 1, 60, [2]),
        (250, 200, 1, 5000, []),  # nanoGPT's own for characters, and for fine-tuning
        (5, 40, 32, 20, []),
        (10, 20, 1, 2000, []),
        (10, 200, 40, 2000, []),
        (10, 200, 1, 20, []),  # a trial
    ],
)
def test_batches_of_an_evaluation_against_those_between(
    lint_text: Lint, every: int, batches: int, accumulated: int, total: int, lines: list[int]
) -> None:
    values = {"every": every, "batches": batches, "accumulated": accumulated, "total": total}
    assert told(lint_text, NANOGPT.format(**values)) == lines
