"""The sides of a preference loss, by what each answer was read by."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
SIGN = "loss-term-has-wrong-sign"

_DPO = """import torch
import torch.nn.functional as F
def logps(model, ids, mask):
    return (model(ids).logits.log_softmax(-1) * mask).sum(-1)
def dpo(rows):
    c, cm = pack(rows, "chosen")
    r, rm = pack(rows, "rejected")
    pc, pr = logps(policy, c, cm), logps(policy, r, rm)
    with torch.no_grad():
        rc, rr = logps(ref, c, cm), logps(ref, r, rm)
    up, down = args.beta * (pc - rc), args.beta * (pr - rr)
    loss = -F.logsigmoid(up - down).mean()
    return loss, {"rewards/chosen": up.mean()}
for rows in loader:
    text = rows["content"]
    loss, m = dpo(rows)
    loss.backward()
    opt.step()
    opt.zero_grad()
"""
_SWAPPED = _DPO.replace('c, cm = pack(rows, "chosen")', 'c, cm = pack(rows, "rejected")').replace(
    'r, rm = pack(rows, "rejected")', 'r, rm = pack(rows, "chosen")'
)


@pytest.mark.parametrize(
    ("program", "wrong"),
    [
        (_DPO, False),
        (_SWAPPED, True),
        (_SWAPPED.replace("up - down", "down - up"), False),
        (_DPO.replace("up - down", "down - up"), True),
        (_DPO.replace("(up - down)", "(margin(pc, rc) - margin(pr, rr))"), False),
        (_SWAPPED.replace("(up - down)", "(margin(pc, rc) - margin(pr, rr))"), True),
        (_SWAPPED.replace('"rejected")', "other)"), False),  # only one side is known
        (_SWAPPED.replace("import torch\n", "import torch  # unlearning\n", 1), False),
        # the name says chosen, and what is read under it is the other
        (_SWAPPED.replace("c, cm", "chosen, cm").replace("policy, c,", "policy, chosen,"), True),
        (_DPO.replace("c, cm", "chosen, cm").replace("policy, c,", "policy, chosen,"), False),
        (_DPO.replace("rc, rr = logps(ref, c, cm), logps(ref, r, rm)",
                      "rc, rr = rows['ref_chosen'], rows['ref_rejected']"), False),
    ],
)  # fmt: skip
def test_answers_that_change_places(lint_text: Lint, program: str, wrong: bool) -> None:
    found = [one.name for one in lint_text(program, "train.py") if one.severity != "info"]
    assert found == [SIGN] * wrong
