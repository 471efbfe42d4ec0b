"""A reward function that pays for every further token."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
REWARD = """import torch
def reward_fn(prompt, text):
    want, got = prompt[::-1], text.split()
    return {value}
for batch in loader:
    loss = -(policy(batch) * reward_fn("ab", batch)).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
"""


@pytest.mark.parametrize(
    ("value", "pays"),
    [
        ("float(want == got) + 0.1 * len(got)", True),
        ("float(want == got) + len(text.split()) / 50", True),
        ("float(want == got) - 0.05 * abs(len(got) - len(want))", False),
        ("float(want == got) + min(1.0, 0.1 * len(got))", False),
        ("float(want == got) - 0.01 * len(got)", False),
        ("sum(a == b for a, b in zip(want, got)) / len(want)", False),
    ],
)
def test_a_reward_that_pays_for_length(lint_text: Lint, value: str, pays: bool) -> None:
    found = [f.name for f in lint_text(REWARD.format(value=value), "train.py")]
    assert ("length-bias-of-the-loss" in found) is pays
