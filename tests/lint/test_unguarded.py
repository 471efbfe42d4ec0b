"""Advantages over a spread that may be zero, and exponentials in half precision."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
UNDEFINED = "function-undefined-at-zero"

_GROUPS = """import torch
def advantages(rewards, group):
    g = rewards.view(-1, group)
    return ((g - g.mean(1, keepdim=True)) / g.std(1, keepdim=True)).flatten()
for batch in loader:
    loss = -(policy(batch) * advantages(score(batch), 8)).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
"""
_BARE = "((g - g.mean(1, keepdim=True)) / g.std(1, keepdim=True))"


def _fires(found: tuple[LintFinding, ...]) -> bool:
    return any(one.name == UNDEFINED for one in found)


def test_a_group_of_equal_rewards(lint_text: Lint) -> None:
    assert _fires(lint_text(_GROUPS, "train.py"))
    by_name = _GROUPS.replace(
        f"    return {_BARE}.flatten()",
        "    mean, std = 0, 0\n    mean = g.mean(dim=1)[:, None]\n    std = g.std(dim=1)[:, None]\n"
        "    adv = (g - mean) / std\n    return adv.flatten()",
    )
    assert _fires(lint_text(by_name, "train.py"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("g.std(1, keepdim=True)", "(g.std(1, keepdim=True) + 1e-4)"),
        ("g.std(1, keepdim=True)", "g.std(1, keepdim=True).clamp_min(1e-6)"),
        ("g.std(1, keepdim=True)", "g.std()"),
        (_BARE, f"torch.nan_to_num{_BARE}"),
        (_BARE, "torch.where(g.std(1, keepdim=True) > 0, "
         "(g - g.mean(1, keepdim=True)) / g.std(1, keepdim=True), torch.zeros_like(g))"),
    ],
)  # fmt: skip
def test_what_keeps_it_from_zero(lint_text: Lint, old: str, new: str) -> None:
    assert old in _GROUPS
    assert not _fires(lint_text(_GROUPS.replace(old, new), "train.py"))


def test_the_features_of_a_data_set_vary(lint_text: Lint) -> None:
    features = _GROUPS.replace("advantages", "standardise").replace("rewards", "pixels")
    assert not _fires(lint_text(features, "train.py"))


_SOFTMAX = """import torch
def contrast(a, b, scale):
    logits = (scale * a @ b.t()).half()
    e = logits.exp()
    return -(e.diag() / e.sum(1)).float().log().mean()
for a, b in loader:
    loss = contrast(a, b, 100.0)
    loss.backward()
    opt.step()
    opt.zero_grad()
"""


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("", "", True),
        (".half()", ".to(torch.float16)", True),
        ("e = logits.exp()", "e = torch.exp(logits)", True),
        ("(e.diag() / e.sum(1)).float().log()", "e.sum(1).log()", True),
        (".half()", "", False),
        (".half()", ".to(torch.bfloat16)", False),
        ("logits.exp()", "(logits - logits.amax(1, keepdim=True)).exp()", False),
        ("logits.exp()", "logits.float().exp()", False),
        ("e.diag() / e.sum(1)", "e.diag()", False),
        ("a @ b.t())", "a @ b.t() - (a @ b.t()).max())", False),
    ],
)
def test_a_softmax_by_hand_in_half_precision(
    lint_text: Lint, old: str, new: str, wrong: bool
) -> None:
    assert old in _SOFTMAX
    assert _fires(lint_text(_SOFTMAX.replace(old, new), "train.py")) is wrong
