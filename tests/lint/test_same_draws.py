"""Batches that all ranks draw from one seed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
PROGRAM = """import os
import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
rank = int(os.environ["RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
torch.manual_seed(cfg["seed"])
np.random.seed(cfg["seed"])
data = np.memmap(cfg["train"], dtype=np.uint16, mode="r")
model = GPT(cfg).cuda()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
log = open(f"out.rank{rank}.txt", "w")

def get():
    ix = np.random.randint(0, len(data) - T - 1, B)
    return torch.from_numpy(np.stack([data[i:i + T + 1] for i in ix])).cuda()

for step in range(1000):
    x = get()
    loss = F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= 8
    opt.step()
    if rank == 0:
        print(step, loss.item(), file=log)
"""
TORCH = (
    "ix = np.random.randint(0, len(data) - T - 1, B)",
    "ix = torch.randint(len(data) - T, (B,))",
)


def told(found: tuple[LintFinding, ...]) -> list[int]:
    return [one.line for one in found if one.name == "ranks-read-same-data"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        TORCH,
        ("np.stack([data[i:i + T + 1] for i in ix])", "data[ix]"),
        ("model = GPT(cfg).cuda()", "model = DDP(GPT(cfg).cuda(), device_ids=[rank])"),
    ],
)
def test_one_seed_for_the_draws_of_all_ranks(lint_text: Lint, old: str, new: str) -> None:
    assert told(lint_text(PROGRAM.replace(old, new), "train.py")) == [17]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('np.random.seed(cfg["seed"])', 'np.random.seed(cfg["seed"] + rank)'),
        ('np.random.seed(cfg["seed"])', "offset = rank * 17\nnp.random.seed(offset)"),
        ('np.random.seed(cfg["seed"])\n', ""),
        ('mode="r")', 'mode="r")[rank::8]'),
        ('mode="r")', 'mode="r")\ndata = part(data, rank)'),
        ("        dist.all_reduce(p.grad)\n", ""),
        # Of a table, as the time steps of diffusion.
        ("np.stack([data[i:i + T + 1] for i in ix])", "(images() * alphas[ix])"),
        ("model = GPT(cfg).cuda()", "model = GPT(cfg, tensor_parallel=4).cuda()"),
    ],
)
def test_draws_that_differ_or_choose_no_data(lint_text: Lint, old: str, new: str) -> None:
    assert old in PROGRAM
    assert not told(lint_text(PROGRAM.replace(old, new), "train.py"))
