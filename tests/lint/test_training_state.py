"""What a training program keeps, restores and steps: optimizers, schedulers, seeds and graphs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
STEPPED, CLEARED, ORDER = "optimizer-not-stepped", "gradients-never-cleared", "data-order-repeats"
RESTORED, OFTEN, APART = (
    "training-state-not-restored",
    "scheduler-stepped-too-often",
    "replicas-start-differently",
)
LEAK, PEAK, SUMMED = "gpu-memory-leak", "eval-or-save-peak", "accumulation-not-normalised"


def _told(found: tuple[LintFinding, ...]) -> list[str]:
    return [one.name for one in found if one.severity != "info"]


_LOOP = """import os
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

def evaluate(model, held):
    model.eval()
    losses = []
    with torch.no_grad():
        for x, y in held:
            losses.append(F.cross_entropy(model(x), y))
    model.train()
    return sum(losses)

def save(path, model, opt, step):
    torch.save({"model": model.state_dict(), "optimizer": opt.state_dict(), "step": step}, path)

def main(args, config):
    rank = int(os.environ["RANK"])
    torch.manual_seed(args.seed)
    sampler = DistributedSampler(rows, shuffle=config.get("shuffle", True))
    loader = DataLoader(rows, sampler=sampler)
    model = Net(args).cuda()
    model = DDP(model)
    decay = [p for p in model.parameters() if p.ndim >= 2]
    rest = [p for p in model.parameters() if p.ndim < 2]
    opt = torch.optim.AdamW([{"params": decay}, {"params": rest, "weight_decay": 0.0}], lr=1e-4)
    total = args.steps // args.accum
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, total)
    step = epoch = 0
    history = []
    if args.resume:
        ck = torch.load(args.resume)
        model.load_state_dict(ck["model"])
        opt.load_state_dict(ck["optimizer"])
        step = ck["step"]
    while step < args.steps:
        sampler.set_epoch(epoch)
        for i, (x, y) in enumerate(loader):
            logits = model(x)
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), y.view(-1))
            (loss / args.accum).backward()
            if (i + 1) % args.accum == 0:
                opt.step()
                sched.step()
                opt.zero_grad(set_to_none=True)
                step += 1
                if step % 100 == 0:
                    evaluate(model, held)
                    save("last.pt" if rank == 0 else os.devnull, model, opt, step)
        epoch += 1
"""
_RESTORE = '        opt.load_state_dict(ck["optimizer"])\n'
_WRAP, _LOAD = "    model = DDP(model)\n", '        model.load_state_dict(ck["model"])\n'
_CLEAR, _EPOCH = (
    "                opt.zero_grad(set_to_none=True)\n",
    "        sampler.set_epoch(epoch)\n",
)
_SCHED = "                sched.step()\n"
_TOTAL, _BEHIND = "    total = ", "    step = epoch = 0\n"
_NO_GRAD = "    with torch.no_grad():\n        for x, y in held:\n            losses"
_GRAD = "    if True:\n        for x, y in held:\n            losses"
_LOGITS = "            logits = model(x)\n"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        (_CLEAR, "", CLEARED),
        (_CLEAR, "                model.zero_grad()\n", ""),
        (_CLEAR, "                finish(opt)\n", ""),  # another module may clear them
        (_EPOCH, "", ORDER),
        (_EPOCH, "        loader.sampler.set_epoch(epoch)\n", ""),
        # the model is built anew behind its optimizer
        (_BEHIND, "    model = DDP(Net(args).cuda())\n" + _BEHIND, STEPPED),
        (_BEHIND, "    model = torch.compile(model)\n" + _BEHIND, ""),
        (_BEHIND, "    teacher = DDP(Net(args).cuda())\n" + _BEHIND, ""),
        (_BEHIND, "    model = model.to(device)\n" + _BEHIND, ""),
        # the resume
        (_RESTORE, "", RESTORED),
        (_RESTORE, "        restore(opt, ck)\n", ""),
        (_RESTORE, "        for o in (opt,):\n            o.load_state_dict(ck['optimizer'])\n", ""),
        (_RESTORE + '        step = ck["step"]\n', "", ""),  # starts from weights, and says so
        ('"optimizer": opt.state_dict(), ', "", ""),  # loaded, whoever saves it
        # the scheduler
        (_SCHED, _SCHED * 2, OFTEN),
        (_SCHED, _SCHED + "                warm.step()\n", ""),
        (_SCHED, "                sched.step(loss)\n                sched.step(step)\n", ""),
        # the output of each step
        (_LOGITS, _LOGITS + "            history.append((logits, y))\n", LEAK),
        (_LOGITS, _LOGITS + "            history.append(logits.detach().cpu())\n", ""),
        (_LOGITS, "            history = []\n" + _LOGITS + "            history.append(logits)\n", ""),
        (_LOGITS, _LOGITS + "            history.append(logits)\n            history.clear()\n", ""),
        # evaluation
        (_NO_GRAD, _GRAD, PEAK),
        ("    with torch.no_grad():\n", "    with torch.inference_mode():\n", ""),
    ],
)  # fmt: skip
def test_one_change_of_a_loop(lint_text: Lint, old: str, new: str, name: str) -> None:
    assert not _told(lint_text(_LOOP, "train.py"))
    assert old in _LOOP
    assert _told(lint_text(_LOOP.replace(old, new), "train.py")) == [name] * bool(name)


@pytest.mark.parametrize(
    ("reduced", "fires"),
    [
        (', reduction="sum")', True),
        (', reduction="sum") / y.numel()', False),
        (', reduction="mean")', False),
        (', reduction="none").mean()', False),
    ],
)
def test_a_sum_over_tokens_that_is_clipped(lint_text: Lint, reduced: str, fires: bool) -> None:
    text = _LOOP.replace("y.view(-1))", "y.view(-1)" + reduced)
    assert not _told(lint_text(text, "train.py"))  # nothing is clipped
    clip = "                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
    clipped = text.replace("                opt.step()\n", clip + "                opt.step()\n")
    assert _told(lint_text(clipped, "train.py")) == [SUMMED] * fires


def test_a_state_that_is_not_even_saved(lint_text: Lint) -> None:
    lost = _LOOP.replace(_RESTORE, "").replace('"optimizer": opt.state_dict(), ', "")
    (found,) = [one for one in lint_text(lost, "train.py") if one.name == RESTORED]
    assert "not saved" in found.message.en
    weights = lost.replace('"step": step', '"model_step": step').replace(
        'step = ck["step"]', "pass"
    )
    assert not _told(lint_text(weights, "train.py"))


def test_a_scheduler_of_updates_that_each_micro_batch_steps(lint_text: Lint) -> None:
    moved = _LOOP.replace(_SCHED, "").replace(
        "            if (i + 1) %", "            sched.step()\n            if (i + 1) %"
    )
    assert _told(lint_text(moved, "train.py")) == [OFTEN]
    for total in ("args.steps", "len(loader) * args.epochs"):  # counted in micro batches, maybe
        text = moved.replace("args.steps // args.accum", total)
        assert not _told(lint_text(text, "train.py"))


_KEEPS = "losses.append(F.cross_entropy(model(x), y))"
_CALL = "evaluate(model, held)\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def evaluate(", "@torch.no_grad()\ndef evaluate("),
        (" " * 20 + _CALL, " " * 20 + "with torch.no_grad():\n" + " " * 24 + _CALL),
        (_KEEPS, "losses.append(F.cross_entropy(model(x), y).item())"),
        (_KEEPS, "losses.append(accuracy(model(x), y))"),
        (_KEEPS, "losses.append((model(x).argmax(-1) == y).sum())"),
        (_CALL, "run(evaluate, model, held)\n"),
    ],
)
def test_evaluation_that_keeps_no_graph(lint_text: Lint, old: str, new: str) -> None:
    open_ = _LOOP.replace(_NO_GRAD, _GRAD)
    assert _told(lint_text(open_, "train.py")) == [PEAK]
    assert old in open_
    assert not _told(lint_text(open_.replace(old, new), "train.py"))


def test_a_sum_of_one_batch_is_not_kept(lint_text: Lint) -> None:
    first = "loss = F.cross_entropy(model(x), y)\n"
    parts = first + " " * 12 + "loss += F.cross_entropy(model(y), x)"
    assert not _told(lint_text(_LOOP.replace(_NO_GRAD, _GRAD).replace(_KEEPS, parts), "train.py"))
    kept = parts.replace(first, "").strip().replace("loss +=", "total +=")
    text = _LOOP.replace(_NO_GRAD, _GRAD).replace(_KEEPS, kept)
    assert _told(lint_text(text, "train.py")) == [PEAK]


_ACCELERATE = """from accelerate import Accelerator
from transformers import get_cosine_schedule_with_warmup
accelerator = Accelerator()
scheduler = get_cosine_schedule_with_warmup(optimizer, 10, args.steps)
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
step = 0
while step < args.steps:
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        step += 1
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("10, args.steps)", "10, args.steps * accelerator.num_processes)"),
        ("Accelerator()", "Accelerator(step_scheduler_with_optimizer=False)"),
        ("Accelerator()", "Accelerator(split_batches=True)"),
        ("loader, scheduler)", "loader), scheduler"),
        ("accelerator = ", "args.steps = args.epochs * len(loader)\naccelerator = "),
        ("while step < args.steps", "while step < args.other"),
    ],
)
def test_a_scheduler_that_accelerate_steps_per_process(lint_text: Lint, old: str, new: str) -> None:
    assert _told(lint_text(_ACCELERATE, "train.py")) == [OFTEN]
    assert old in _ACCELERATE
    assert not _told(lint_text(_ACCELERATE.replace(old, new), "train.py"))


_HAND = _LOOP.replace(_WRAP, "").replace(
    "                opt.step()\n",
    "                for p in model.parameters():\n                    dist.all_reduce(p.grad)\n"
    "                opt.step()\n",
)


@pytest.mark.parametrize(
    ("old", "new", "fires"),
    [
        ("(args.seed)", "(args.seed + rank)", True),
        ("(args.seed)", "(dist.get_rank() + args.seed)", True),
        ("(args.seed)", "(args.seed)", False),
        ("    decay = ", "    torch.manual_seed(args.seed + rank)\n    decay = ", False),  # behind it
        ("    model = Net(args).cuda()\n", "    torch.manual_seed(args.seed + rank)\n"
         "    model = DDP(Net(args).cuda())\n", False),
        ("    model = Net(args).cuda()\n", "    torch.manual_seed(args.seed + rank)\n"
         "    model = Net(args).cuda()\n    for p in model.parameters():\n        dist.broadcast(p.data, 0)\n",
         False),
    ],
)  # fmt: skip
def test_weights_drawn_by_each_rank(lint_text: Lint, old: str, new: str, fires: bool) -> None:
    text = _HAND.replace(old, new)
    assert _told(lint_text(text, "train.py")) == [APART] * fires


_ENTROPY = """import torch
import torch.nn.functional as F
def entropy(logits, mask):
    {hide}
    p = {soft}
    return {value}
def train():
    loss.backward()
"""
_HIDE, _SOFT, _VALUE = (
    "logits[..., 50:] = float('-inf')",
    "F.softmax(logits, -1)",
    "-(p * p.log()).sum()",
)


@pytest.mark.parametrize(
    ("hide", "soft", "value", "fires"),
    [
        (_HIDE, _SOFT, _VALUE, True),
        ("logits = logits.masked_fill(mask, -torch.inf)", "logits.softmax(-1)", _VALUE, True),
        ("logits.masked_fill_(mask, -math.inf)", _SOFT, "(torch.log(p) * p).mean()", True),
        ("logits[mask] = -1e4", _SOFT, _VALUE, False),
        ("logits = logits.float()", _SOFT, _VALUE, False),
        (_HIDE, _SOFT, "-(p * (p + 1e-9).log()).sum()", False),
        (_HIDE, _SOFT, "-(p * p.clamp_min(1e-9).log()).sum()", False),
        (_HIDE, _SOFT, "-(p * F.log_softmax(logits, -1)).nansum()", False),
        (_HIDE, _SOFT, "torch.special.entr(p).sum()", False),
        (_HIDE, "F.softmax(logits, -1).clamp_min(1e-9)", _VALUE, False),
        (_HIDE, _SOFT, "torch.where(p > 0, p * p.log(), 0.0)", False),
        (_HIDE + "\n    logits = other", _SOFT, _VALUE, False),
    ],
)
def test_zero_times_the_logarithm_of_zero(
    lint_text: Lint, hide: str, soft: str, value: str, fires: bool
) -> None:
    text = _ENTROPY.format(hide=hide, soft=soft, value=value)
    assert _told(lint_text(text, "train.py")) == ["function-undefined-at-zero"] * fires
