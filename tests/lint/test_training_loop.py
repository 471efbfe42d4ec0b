"""Training loops that a program writes out: what lint tells, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
_LOOP = """import torch
from torch.utils.data import DataLoader, DistributedSampler
model = Net().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)
scaler = torch.cuda.amp.GradScaler()
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=4, sampler=sampler)

def evaluate(model):
    model.eval()
    for x in held:
        model(x)

for epoch in range(10):
    sampler.set_epoch(epoch)
    model.train()
    for i, batch in enumerate(loader):
        optimizer.zero_grad()
        loss = model(batch).loss
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
    evaluate(model)
"""
_PLAIN = (
    _LOOP.replace("scaler.scale(loss).backward()", "loss.backward()")
    .replace("        scaler.unscale_(optimizer)\n", "")
    .replace("scaler.step(optimizer)", "optimizer.step()")
    .replace("        scaler.update()\n", "")
)


def _told(found: tuple[LintFinding, ...]) -> list[str]:
    return [one.name for one in found if one.severity != "info"]


@pytest.mark.parametrize(
    ("loop", "old", "new", "name"),
    [
        (_PLAIN, "        optimizer.step()\n", "", "optimizer-not-stepped"),
        (_LOOP, "        scaler.step(optimizer)\n        scaler.update()\n", "", ""),
        (_PLAIN, "        optimizer.zero_grad()\n", "", "gradients-never-cleared"),
        (_LOOP, "        optimizer.zero_grad()\n", "", "gradients-never-cleared"),
        (_PLAIN, "        optimizer.step()\n",
         "        optimizer.step()\n        model.zero_grad()\n", ""),
        (_LOOP, "        scaler.unscale_(optimizer)\n", "", "clip-before-unscale"),
        (_LOOP.replace("GradScaler()", "GradScaler(enabled=False)"),
         "        scaler.unscale_(optimizer)\n", "", ""),
        (_LOOP, "    sampler.set_epoch(epoch)\n", "", "data-order-repeats"),
        (_LOOP, "DistributedSampler(data)", "DistributedSampler(data, shuffle=True)", ""),
        (_LOOP, "sampler=sampler", "sampler=sampler, shuffle=True", "options-exclude-each-other"),
        (_LOOP, "    model.train()\n", "", "model-in-other-mode"),
        (_LOOP, "    evaluate(model)", "    evaluate(teacher)", ""),
        (_PLAIN, "        scheduler.step()\n",
         "        scheduler.step()\n        if i % 100 == 0:\n            evaluate(model)\n",
         "model-in-other-mode"),
        (_PLAIN, "        scheduler.step()\n",
         "        scheduler.step()\n        if i == 99:\n            evaluate(model)\n", ""),
        (_PLAIN, "scheduler = ", "model = get_peft_model(model, config)\nscheduler = ",
         "optimizer-not-stepped"),
        (_PLAIN, "    evaluate(model)", "    evaluate(model)\nmodel = Net.from_pretrained('best')", ""),
    ],
)  # fmt: skip
def test_one_change_of_a_loop(lint_text: Lint, loop: str, old: str, new: str, name: str) -> None:
    assert not _told(lint_text(loop, "train.py"))
    assert old in loop
    assert _told(lint_text(loop.replace(old, new), "train.py")) == [name] * bool(name)


def test_the_order_of_the_calls(lint_text: Lint) -> None:
    lines = {
        "clear": "        optimizer.zero_grad()\n",
        "step": "        optimizer.step()\n",
        "clip": "        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n",
    }
    bare = _PLAIN
    for line in lines.values():
        bare = bare.replace(line, "")
    for order, name in (
        (("clip", "step", "clear"), ""),
        (("clear", "clip", "step"), "optimizer-not-stepped"),
        (("step", "clip", "clear"), "option-without-effect"),
    ):
        behind = "".join(lines[one] for one in order)
        text = bare.replace("loss.backward()\n", "loss.backward()\n" + behind)
        assert _told(lint_text(text, "train.py")) == [name] * bool(name)


def test_gradients_that_the_program_handles_itself(lint_text: Lint) -> None:
    """An update by hand, gradients that are kept over a clearing, and a clearing by hand."""
    update = "        for p in model.parameters():\n            p.data.add_(p.grad, alpha=-0.1)\n"
    keeps = (
        "        kept = [p.grad.clone() for p in model.parameters()]\n"
        "        optimizer.zero_grad()\n        restore(model, kept)\n"
    )
    none = "        for p in model.parameters():\n            p.grad = None\n"
    step, clear = "        optimizer.step()\n", "        optimizer.zero_grad()\n"
    for old, new, bare in (
        (step, update, ""),
        (step, keeps + step, clear + step),
        (clear, none, ""),
    ):
        loop = _PLAIN if old is not step or not bare else _PLAIN.replace(clear, "")
        assert old in loop
        assert not _told(lint_text(loop.replace(old, new), "train.py"))
        assert _told(lint_text(loop.replace(old, bare), "train.py"))


@pytest.mark.parametrize(
    "managed",
    [
        _PLAIN.replace("loss.backward()", "accelerator.backward(loss)"),
        _PLAIN.replace("optimizer.step()", "update(optimizer)"),
        _PLAIN.replace("scheduler = ", "optimizer = wrap(optimizer)\nscheduler = "),
    ],
)
def test_what_others_may_do_is_not_judged(lint_text: Lint, managed: str) -> None:
    assert not _told(lint_text(managed.replace("optimizer.zero_grad()", "pass"), "train.py"))


_ONE = """import torch
from torch.utils.data import DataLoader
model = Net().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
loader = DataLoader(data, batch_size=4)
{before}
for step in range(1000):
    {take}
    optimizer.zero_grad()
    loss = model(x, y)
    loss.backward()
    optimizer.step()
"""
_TAKE = "x, y = next(iter(loader))"
_MOVE = "x, y = x.cuda(), y.cuda()"


@pytest.mark.parametrize(
    ("before", "take", "fires"),
    [
        ("", _TAKE, True),
        (_TAKE, "pass", True),
        (_TAKE, _MOVE, True),
        ("batch = next(iter(loader))\nx, y = batch['x'].cuda(), batch['y'].cuda()", "pass", True),
        ("it = iter(loader)", "x, y = next(it)", False),
        (_TAKE, "x, y = get_batch('train')", False),
        ("it = iter(loader)\n" + _TAKE, "x, y = next(it)", False),
        ("print(next(iter(loader)))", "x, y = get_batch('train')", False),
        ("loader = DataLoader(data, shuffle=True)", _TAKE, False),  # made twice: which is not told
        ("# overfit one batch first", _TAKE, False),  # a test that says that it is one
        ("", "if step == 0:\n        " + _TAKE, False),
    ],
)
def test_one_batch_for_ever(lint_text: Lint, before: str, take: str, fires: bool) -> None:
    found = _told(lint_text(_ONE.format(before=before, take=take), "train.py"))
    assert ("one-batch-repeated" in found) == fires


def test_a_loader_that_shuffles_gives_another_batch(lint_text: Lint) -> None:
    text = _ONE.format(before="", take=_TAKE).replace("batch_size=4", "batch_size=4, shuffle=True")
    assert "one-batch-repeated" not in _told(lint_text(text, "train.py"))


_STEPS = """import torch
model = Net().cuda()
opt = torch.optim.AdamW(model.parameters(), lr=1e-4)

def back():
    {back}

def evaluate():
    model.eval()
    for x in held:
        model(x)
    {end}

for it in range(1000):
    loss = model(batch()).loss
    loss.backward()
    opt.step()
    opt.zero_grad()
    if it % 100 == 0:
        evaluate()
"""


@pytest.mark.parametrize(
    ("back", "end", "fires"),
    [
        ("pass", "pass", True),
        ("pass", "model.train()", False),
        ("model.train()", "back()", False),
    ],
)
def test_an_evaluation_of_the_modules_own_model_that_leaves_it_in_evaluation_mode(
    lint_text: Lint, back: str, end: str, fires: bool
) -> None:
    text = _STEPS.format(back=back, end=end)
    assert _told(lint_text(text, "train.py")) == ["model-in-other-mode"] * fires


_EPOCHS = """import torch
model = Net().cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(10):
    model.train()
{outer}
    for x, y in train:
        loss = crit(model(x), y)
        loss.backward()
{inner}
"""


@pytest.mark.parametrize(
    ("outer", "inner", "fires"),
    [
        ("    opt.zero_grad()", "        opt.step()", True),
        ("    model.zero_grad()", "        opt.step()", True),
        ("    opt.zero_grad()", "        opt.step()\n        opt.zero_grad()", False),
        ("    opt.zero_grad()", "    opt.step()", False),  # one step of a whole epoch
        ("    opt.zero_grad()", "        if full(x):\n            opt.step()", False),
    ],
)
def test_gradients_cleared_once_an_epoch(
    lint_text: Lint, outer: str, inner: str, fires: bool
) -> None:
    text = _EPOCHS.format(outer=outer, inner=inner)
    assert _told(lint_text(text, "train.py")) == ["gradients-never-cleared"] * fires
