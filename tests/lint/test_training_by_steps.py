"""A training that counts its steps: what it clears, what its optimizer holds, and its data anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
STEPPED, CLEARED, ORDER = "optimizer-not-stepped", "gradients-never-cleared", "data-order-repeats"


def _told(found: tuple[LintFinding, ...]) -> list[str]:
    return [one.name for one in found if one.severity != "info"]


_STEPS = """import torch
import torch.nn.functional as F
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader, DistributedSampler
model = build(args)
if args.lora:
    model = get_peft_model(model, LoraConfig(r=8))
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4)
sampler = DistributedSampler(rows, world, rank, shuffle=True)
loader = DataLoader(rows, 8, sampler=sampler)
it = iter(loader)
epoch = 0
for step in range(args.steps):
    for micro in range(args.accum):
        try:
            x, y = next(it)
        except StopIteration:
            epoch += 1
            sampler.set_epoch(epoch)
            it = iter(loader)
            x, y = next(it)
        loss = F.cross_entropy(model(x), y) / args.accum
        loss.backward()
    opt.step()
    opt.zero_grad()
"""
_OPT = "opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4)\n"
_ADAPTER = "if args.lora:\n    model = get_peft_model(model, LoraConfig(r=8))\n"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("    opt.zero_grad()\n", "", CLEARED),
        ("    opt.zero_grad()\n", "    model.zero_grad()\n", ""),
        ("    opt.zero_grad()\n", "    finish(opt)\n", ""),  # another module may clear them
        ("            sampler.set_epoch(epoch)\n", "", ORDER),
        ("            sampler.set_epoch(epoch)\n", "            loader.sampler.set_epoch(epoch)\n", ""),
        ("rank, shuffle=True)", "rank, shuffle=False)", ""),
        (_ADAPTER + _OPT, _OPT + _ADAPTER, STEPPED),
        (_ADAPTER + _OPT, _OPT + _ADAPTER + "if args.lora:\n    opt = remake(model)\n", ""),
        (_ADAPTER + _OPT, _OPT + "if args.lora:\n    model = torch.compile(model)\n", ""),
    ],
)  # fmt: skip
def test_one_change_of_a_loop_of_steps(lint_text: Lint, old: str, new: str, name: str) -> None:
    assert not _told(lint_text(_STEPS, "train.py"))
    assert old in _STEPS
    assert _told(lint_text(_STEPS.replace(old, new), "train.py")) == [name] * bool(name)


def test_data_that_are_given_once_have_no_second_order(lint_text: Lint) -> None:
    text = _STEPS.replace("            sampler.set_epoch(epoch)\n", "")
    over = text.replace(
        "            it = iter(loader)\n            x, y = next(it)\n", "            break\n"
    )
    assert _told(lint_text(text, "train.py")) == [ORDER]
    assert not _told(lint_text(over, "train.py"))
