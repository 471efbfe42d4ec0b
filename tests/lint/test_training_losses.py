"""The loss of a training program: what it is made of, its sign, its graph and its scale."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
TWICE, CUT, SIGN = (
    "probabilities-taken-for-logits",
    "graph-cut-in-code",
    "loss-term-has-wrong-sign",
)
START, ROOT = "weights-start-at-zero", "function-undefined-at-zero"
SCALE, ORDER = "fp16-gradients-underflow", "scaler-called-out-of-order"
CARRIED, CHANGED = "graph-used-twice", "in-place-on-needed-tensor"


def _told(found: tuple[LintFinding, ...]) -> list[str]:
    return [one.name for one in found if one.severity != "info"]


_HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.head = nn.Linear(8, 4)
    def forward(self, x):
        return self.head(self.body(x))
model = Net().cuda()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for x, y in loader:
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
_LOSS = "    loss = F.cross_entropy(model(x), y)\n"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("return self.head(self.body(x))", "return F.softmax(self.head(self.body(x)), -1)", TWICE),
        ("F.cross_entropy(model(x), y)", "criterion(model(x).softmax(-1).float(), y)", TWICE),
        ("F.cross_entropy(model(x), y)", "criterion(model(x), y)", ""),
        ("F.cross_entropy(model(x), y)", "F.nll_loss(model(x).log_softmax(-1), y)", ""),
        ("F.cross_entropy(model(x), y)", "F.nll_loss(model(x).softmax(-1), y)", TWICE),
        ("F.cross_entropy(model(x), y)", "F.cross_entropy(model(x), teacher(x).softmax(-1))", ""),
        (_LOSS, "    p = torch.sigmoid(model(x))\n"
         "    loss = F.binary_cross_entropy_with_logits(p, y)\n", TWICE),
        (_LOSS, "    p = torch.sigmoid(model(x))\n    loss = F.binary_cross_entropy(p, y)\n", ""),
        ("return self.head(self.body(x))",
         "z = self.head(self.body(x))\n        return z if self.training else z.softmax(-1)", ""),
        (_LOSS, "    with torch.no_grad():\n        z = model(x)\n    loss = criterion(z, y)\n", CUT),
        (_LOSS, "    with torch.no_grad():\n        t = teacher(x)\n"
         "    loss = F.mse_loss(model(x), t)\n", ""),
        (_LOSS, "    loss = torch.tensor(criterion(model(x), y).item(), requires_grad=True)\n", CUT),
        (_LOSS, "    p = model(x).argmax(-1).float()\n    loss = F.mse_loss(p, y)\n"
         "    loss.requires_grad_()\n", CUT),
        (_LOSS, "    loss = F.mse_loss(D(fake.detach()), y)\n", ""),
        ("self.head(self.body(x))", "self.head(self.body(x).detach())", CUT),
        ("self.head(self.body(x))", "self.head(self.body(x).data)", CUT),
        ("F.cross_entropy(model(x), y)", "-F.cross_entropy(model(x), y)", SIGN),
        ("F.cross_entropy(model(x), y)",
         "F.cross_entropy(model(x), y) - 0.1 * F.mse_loss(one, other)", ""),
    ],
)  # fmt: skip
def test_one_change_of_a_loss(lint_text: Lint, old: str, new: str, name: str) -> None:
    assert not _told(lint_text(_HEAD, "train.py"))
    assert old in _HEAD
    assert _told(lint_text(_HEAD.replace(old, new), "train.py")) == [name] * bool(name)


def test_a_part_that_is_meant_to_stay(lint_text: Lint) -> None:
    cut = _HEAD.replace("self.body(x))", "self.body(x).detach())")
    frozen = cut.replace("model = ", "encoder.requires_grad_(False)\nmodel = ")
    both = cut.replace("return ", "self.aux = self.body(x)\n        return ")
    assert _told(lint_text(cut, "train.py")) == [CUT]
    assert not _told(lint_text(frozen, "train.py"))
    assert not _told(lint_text(both, "train.py"))


_POLICY = """import torch
import torch.nn.functional as F
def scores(m, x):
    z = m(x).log_softmax(-1)
    return z.gather(-1, x).squeeze(-1), -(z.exp() * z).sum(-1)
for q in prompts:
    r = reward(q)
    adv = (r - r.mean()) / (r.std() + 1e-4)
    lp, ent = scores(policy, q)
    ratio = (lp - old).exp()
    A = adv[:, None]
    pg = -torch.min(ratio * A, ratio.clamp(0.8, 1.2) * A).mean()
    d = ref - lp
    kl = (d.exp() - d - 1).mean()
    loss = pg + cfg["kl_coef"] * kl - cfg["ent_coef"] * ent.mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
"""
_MARGIN = "F.logsigmoid(beta * ((pi_chosen - ref_chosen) - (pi_rejected - ref_rejected)))"


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("+ cfg[", "- cfg[", True),
        ("- cfg[", "+ cfg[", True),
        ("pg = -torch", "pg = torch", True),
        ("pg = -torch.min(ratio * A, ratio.clamp(0.8, 1.2) * A)",
         "pg = torch.max(-ratio * A, -ratio.clamp(0.8, 1.2) * A)", False),
        ("(r - r.mean())", "(r.mean() - r)", True),
        ("(r - r.mean())", "(r.mean() - cost)", False),
        ("pg = -torch.min(ratio * A, ratio.clamp(0.8, 1.2) * A)",
         "A = A * -1\n    pg = torch.max(ratio * A, ratio.clamp(0.8, 1.2) * A)", False),
        ("kl = (d.exp() - d - 1).mean()\n", "kl = (ref - lp).mean()\n", False),
        ("    loss = pg ", f"    loss = -{_MARGIN}.mean()\n    other = pg ", False),
        ("    loss = pg ", f"    loss = {_MARGIN}.mean() * -1\n    other = pg ", False),
        ("    loss = pg ", "    loss = -F.logsigmoid(r_rejected - r_chosen).mean()\n    other = pg ",
         True),
        ("    loss = pg ", "    pi_chosen, pi_rejected = scores(policy, chosen), scores(policy, rejected)\n"
         "    margin = pi_rejected - pi_chosen\n    loss = -F.logsigmoid(beta * margin).mean()\n"
         "    other = pg ", True),
        ("kl = (d.exp() - d - 1).mean()\n    loss = pg + ",
         "kl = -0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp()) / len(q)\n    loss = pg - ", True),
        ("kl = (d.exp() - d - 1).mean()\n    loss = pg + ",
         "kl = 0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp()) / len(q)\n    loss = pg - ", False),
        ("for q in", "maximize=True\nfor q in", False),
    ],
)  # fmt: skip
def test_the_signs_of_a_policys_loss(lint_text: Lint, old: str, new: str, wrong: bool) -> None:
    assert not _told(lint_text(_POLICY, "train.py"))
    assert old in _POLICY
    assert _told(lint_text(_POLICY.replace(old, new), "train.py")) == [SIGN] * wrong


_ADAPTER = """import torch
import torch.nn as nn
class Lora(nn.Module):
    def __init__(self, base, r):
        super().__init__()
        self.base = base
        self.A = nn.Parameter(torch.randn(r, 8))
        self.B = nn.Parameter(torch.zeros(8, r))
    def forward(self, x):
        return self.base(x) + x @ self.A.t() @ self.B.t()
for x in loader:
    loss = model(x)
    loss.backward()
"""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("torch.randn(r, 8)", "torch.zeros(r, 8)", START),
        ("torch.randn(r, 8))", "torch.zeros(r, 8))\n        nn.init.normal_(self.A)", ""),
        ("    loss.backward", "    loss = loss + sum(m.B.pow(2).sum().sqrt() for m in loras)\n"
         "    loss.backward", ROOT),
        ("    loss.backward", "    loss = loss + sum((m.B.pow(2).sum() + 1e-12).sqrt() for m in loras)\n"
         "    loss.backward", ""),
        ("    loss.backward", "    loss = loss + sum(m.A.pow(2).sum().sqrt() for m in loras)\n"
         "    loss.backward", ""),
        ("for x in loader", "for p in model.parameters():\n    nn.init.zeros_(p)\nfor x in loader", START),
        ("for x in loader", "for p in model.parameters():\n    if p.dim() < 2:\n"
         "        nn.init.zeros_(p)\nfor x in loader", ""),
    ],
)  # fmt: skip
def test_weights_that_start_at_zero(lint_text: Lint, old: str, new: str, name: str) -> None:
    assert not _told(lint_text(_ADAPTER, "train.py"))
    assert old in _ADAPTER
    assert _told(lint_text(_ADAPTER.replace(old, new), "train.py")) == [name] * bool(name)


def test_two_layers_in_a_row_at_zero(lint_text: Lint) -> None:
    one = _HEAD.replace(
        "    def forward", "        nn.init.zeros_(self.head.weight)\n    def forward"
    )
    two = one.replace(
        "    def forward", "        nn.init.zeros_(self.body.weight)\n    def forward"
    )
    again = two.replace("    def forward", "        self.apply(start)\n    def forward")
    assert not _told(lint_text(one, "train.py"))
    assert _told(lint_text(two, "train.py")) == [START]
    assert not _told(lint_text(again, "train.py"))


_HALF = _HEAD.replace(
    _LOSS, "    with torch.autocast('cuda', dtype=torch.float16):\n    " + _LOSS
).replace("    loss.backward()\n", "    scaler.scale(loss).backward()\n").replace(
    "    opt.step()\n", "    scaler.step(opt)\n    scaler.update()\n"
).replace("for x, y", "scaler = torch.amp.GradScaler()\nfor x, y")  # fmt: skip
_BARE = (
    _HALF.replace("scaler = torch.amp.GradScaler()\n", "")
    .replace("scaler.scale(loss)", "loss")
    .replace("scaler.step(opt)\n    scaler.update()", "opt.step()")
)


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (_HALF, ""),
        (_BARE, SCALE),
        (_BARE.replace("float16", "bfloat16"), ""),
        (_BARE.replace("'cuda', dtype=torch.float16", "'cpu'"), ""),
        (_HALF.replace("GradScaler()", "GradScaler(enabled=False)"), SCALE),
        (_HALF.replace("scaler.step(opt)\n    scaler.update()", "opt.step()"), ORDER),
    ],
)
def test_fp16_and_its_scale(lint_text: Lint, program: str, name: str) -> None:
    assert _told(lint_text(program, "train.py")) == [name] * bool(name)


_CARRIED = _HEAD.replace(_LOSS, "    out, state = model(x, state)\n    loss = criterion(out, y)\n")


def test_a_state_that_goes_into_the_next_batch(lint_text: Lint) -> None:
    assert _told(lint_text(_CARRIED, "train.py")) == [CARRIED]
    kept = _CARRIED.replace("backward()", "backward(retain_graph=True)")
    assert _told(lint_text(kept, "train.py")) == [CHANGED]
    for line in ("state = state.detach()", "state = tuple(s.data for s in state)", "state = None"):
        loose = _CARRIED.replace("    opt.step()\n", f"    opt.step()\n    {line}\n")
        assert not _told(lint_text(loose, "train.py"))
