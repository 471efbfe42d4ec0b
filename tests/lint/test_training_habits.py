"""Calls of a training program that do not do what they seem to: rates, clips, modes, dimensions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
EFFECT, STEPPED, LOGGED = "option-without-effect", "optimizer-not-stepped", "logged-number-scaled"
MODE, UNTRAINED = "model-in-other-mode", "nothing-is-trained"
SOFTMAX, VISIBLE = "softmax-over-wrong-dimension", "labels-visible-to-model"


def _told(found: tuple[LintFinding, ...]) -> list[str]:
    return [one.name for one in found if one.severity != "info"]


_PROGRAM = """import torch
import torch.nn as nn
import torch.nn.functional as F

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.heads = nn.Linear(8, 24), 2

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-2, -1)
        w = scores.softmax(dim=-1)
        return (w @ v).transpose(1, 2).reshape(b, t, d)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(2)])
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(self.drop(x))

model = Net()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)

@torch.no_grad()
def evaluate():
    model.eval()
    total = sum(F.cross_entropy(model(x), y).item() for x, y in held)
    model.train()
    return total

running = 0.0
for step in range(1000):
    for group in opt.param_groups:
        group["lr"] = rate(step)
    opt.zero_grad()
    for micro in range(4):
        x, y = batch()
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        (loss / 4).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    running += loss.item()
    if step % 10 == 0:
        print(step, running / 10)
        running = 0.0
"""
_CLIP = "    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ('    for group in opt.param_groups:\n        group["lr"] = rate(step)\n',
         "    opt.lr = rate(step)\n", EFFECT),
        ("    opt.zero_grad()\n    for micro in range(4):\n        x, y = batch()\n",
         "    for micro in range(4):\n        x, y = batch()\n        opt.zero_grad()\n", EFFECT),
        ("    opt.zero_grad()\n    for", "    opt.zero_grad()\n" + _CLIP + "    for", ""),  # two clips
        ("        running = 0.0\n", "", LOGGED),
        ("        print(step, running / 10)\n        running = 0.0\n",
         "        print(step, running / (step + 1))\n", ""),
        ("nn.ModuleList([Block() for _ in range(2)])", "[Block() for _ in range(2)]", UNTRAINED),
        ("nn.ModuleList([Block() for _ in range(2)])",
         "[Block() for _ in range(2)]\n        self.all = nn.Sequential(*self.blocks)", ""),
        ("running = 0.0\nfor", "model.head = nn.Linear(8, 9)\nrunning = 0.0\nfor", STEPPED),
        ("model = Net()\n", "model = Net()\nmodel.head = nn.Linear(8, 9)\n", ""),
        ("self.head(self.drop(x))", "self.head(F.dropout(x, 0.1))", MODE),
        ("self.head(self.drop(x))", "self.head(F.dropout(x, 0.1, self.training))", ""),
        ("self.head(self.drop(x))", "self.head(F.dropout(x, p=0.1, training=self.training))", ""),
        ("(w @ v)", "F.scaled_dot_product_attention(q, k, v, dropout_p=0.1)", MODE),
        ("(w @ v)", "F.scaled_dot_product_attention(q, k, v, dropout_p=self.p)", ""),
        ("    model.eval()\n", "", MODE),
        ("softmax(dim=-1)", "softmax(dim=-2)", SOFTMAX),
        ("softmax(dim=-1)", "softmax(dim=1)", SOFTMAX),
        ("softmax(dim=-1)", "softmax(dim=3)", ""),
        ("model(x).flatten(0, 1), y.flatten()",
         "model(x)[:, 1:].flatten(0, 1), x[:, :-1].flatten()", VISIBLE),
        ("model(x).flatten(0, 1), y.flatten()",
         "model(x)[:, :-1].flatten(0, 1), x[:, 1:].flatten()", ""),
    ],
)  # fmt: skip
def test_one_change_of_a_program(lint_text: Lint, old: str, new: str, name: str) -> None:
    assert not _told(lint_text(_PROGRAM, "train.py"))
    assert old in _PROGRAM
    assert _told(lint_text(_PROGRAM.replace(old, new), "train.py")) == [name] * bool(name)


def test_a_clip_before_the_gradients(lint_text: Lint) -> None:
    early = _PROGRAM.replace(_CLIP, "").replace("zero_grad()\n", "zero_grad()\n" + _CLIP)
    assert _told(lint_text(early, "train.py")) == [EFFECT]


def test_classes_that_compete_within_the_batch(lint_text: Lint) -> None:
    text = _PROGRAM.replace(
        "F.cross_entropy(model(x).flatten(0, 1), y.flatten())", "nll(model(x), y)"
    )
    text = text.replace("model = Net()", "nll = nn.NLLLoss()\nmodel = Net()")
    wrong = "F.log_softmax(self.head(self.drop(x)), dim={})"
    for over, told in ((0, [SOFTMAX]), (1, [])):
        given = text.replace("self.head(self.drop(x))", wrong.format(over))
        assert _told(lint_text(given, "train.py")) == told


def test_no_dropout_needs_no_mode(lint_text: Lint) -> None:
    plain = _PROGRAM.replace("    model.eval()\n", "")
    for layer in ("nn.Identity()", "nn.Dropout(0.0)"):
        assert not _told(lint_text(plain.replace("nn.Dropout(0.1)", layer), "train.py"))
