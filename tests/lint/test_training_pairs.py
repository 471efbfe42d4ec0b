"""Inputs and labels that are shuffled: by one order, or each by its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
APART = "inputs-and-labels-shuffled-apart"

_LOADER = """import torch
import torch.nn.functional as F
def loader(x, y, n, shuffle):
    j = torch.randperm(len(x)) if shuffle else torch.arange(len(x))
    k = torch.randperm(len(y)) if shuffle else torch.arange(len(y))
    for i in range(0, len(x) - n + 1, n):
        yield x[j[i : i + n]], y[k[i : i + n]]
for x, y in loader(*train, 8, True):
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
    opt.zero_grad()
"""
_SECOND = "    k = torch.randperm(len(y)) if shuffle else torch.arange(len(y))\n"


@pytest.mark.parametrize(
    ("old", "new", "apart"),
    [
        ("", "", True),
        ("y[k[", "y[j[", False),
        (_SECOND, "    k = j\n", False),
        (_SECOND, "    torch.manual_seed(0)\n" + _SECOND, False),
        ("torch.randperm(len(y))", "torch.randperm(len(y), generator=g)", False),
        ("torch.randperm(len(y))", "np.random.permutation(len(y))", True),
        ("y[k[i : i + n]]", "x[k[i : i + n]]", False),  # two samples of the same
        ("import torch\n", "import torch  # permutation test\n", False),
        ("F.cross_entropy(model(x), y)", "loss_of_two_sets(model(x), y)", False),
    ],
)
def test_orders_of_pairs(lint_text: Lint, old: str, new: str, apart: bool) -> None:
    text = _LOADER.replace(old, new, 1) if old else _LOADER
    found = [one.name for one in lint_text(text, "train.py") if one.severity != "info"]
    assert found == [APART] * apart
