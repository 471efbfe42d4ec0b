"""What only some ranks do in a program, and labels and losses that are made by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
EXTRA, RACE = "extra-collective-on-some-ranks", "ranks-race-on-checkpoint-folder"
SHIFTED, UNDIVIDED = "labels-shifted-twice", "accumulation-not-normalised"

_START = """import os
import torch
import torch.distributed as dist
dist.init_process_group("nccl")
rank = int(os.environ["RANK"])
value = torch.ones(1).cuda()
"""


@pytest.mark.parametrize(
    ("body", "fires"),
    [
        ("    if time.time() - last > 600:\n        last = time.time()\n        dist.barrier()\n", True),
        ("    late = time.monotonic() > end\n    if late:\n        dist.all_reduce(value)\n", True),
        ("    if random.random() < 0.1:\n        dist.all_reduce(value)\n", True),
        ("    if time.time() - last > 600:\n        save()\n", True),
        ("    if step % 100 == 0:\n        dist.barrier()\n", False),
        ("    if time.time() - last > 600:\n        print(step)\n    dist.barrier()\n", False),
        ("    late = agreed(time.time() > end)\n    if late:\n        dist.barrier()\n", False),
        ("    if rank == 0:\n        stop[0] = time.time() > end\n"
         "    dist.broadcast(stop, 0)\n    if stop[0]:\n        dist.barrier()\n", False),
        ("    if step % 100 == 0:\n        save()\n", False),
    ],
)  # fmt: skip
def test_a_collective_by_the_clock_of_each_rank(lint_text: Lint, body: str, fires: bool) -> None:
    program = f"{_START}def save():\n    dist.barrier()\nfor step in range(9):\n{body}"
    found = [one for one in lint_text(program, "train.py") if one.name == EXTRA]
    assert bool(found) is fires


@pytest.mark.parametrize(
    ("body", "fires"),
    [
        ("if rank == 0:\n    dist.all_reduce(value)\n", True),
        ("if dist.get_rank() == 0:\n    print(1)\n    dist.barrier()\n", True),
        ("main = rank == 0\nif main:\n    dist.broadcast(value, 0)\n", True),
        ("if rank == 0 and step % 100 == 0:\n    dist.all_reduce(value)\n", True),
        ("if rank == 0:\n    dist.barrier()\nelse:\n    print('waits')\n", True),
        ("if rank == 0:\n    dist.barrier()\ndist.barrier()\n", True),
        ("dist.all_reduce(value)\nif rank == 0:\n    print(value)\n", False),
        ("if rank == 0:\n    dist.all_reduce(value)\nelse:\n    dist.all_reduce(value)\n", False),
        ("if rank == 0:\n    dist.barrier()\nelse:\n    follow()\n", False),
        ("if rank != 0:\n    dist.barrier()\nload()\nif rank == 0:\n    dist.barrier()\n", False),
        ("if rank == 0:\n    dist.all_reduce(value, group=first)\n", False),
        ("if rank == 0:\n    dist.barrier(first)\n", False),
        ("if rank == 0 or world_size == 1:\n    dist.barrier()\n", False),
        ("if rank == 0 and not distributed:\n    dist.barrier()\n", False),
        ("if tp_rank == 0:\n    dist.barrier()\n", False),
        ("rank = dist.get_rank(first)\nif rank == 0:\n    dist.all_reduce(value)\n", False),
        ("if ready:\n    dist.barrier()\n", False),
        ("if rank == 0:\n    lead()\n    dist.barrier()\n    exit()\ndist.barrier()\n", False),
        ("def follow():\n    dist.broadcast(value, 0)\n"
         "if rank == 0:\n    dist.broadcast(value, 0)\nif rank > 0:\n    follow()\n", False),
        ("def lead():\n    dist.barrier()\nif rank == 0:\n    lead()\n", True),
        ("def lead():\n    dist.barrier()\nif rank == 0:\n    lead()\nlead()\n", False),
        ("def lead():\n    dist.barrier()\nif rank == 0:\n    run(lead)\n", False),
        ("def lead():\n    dist.barrier()\nif rank == 0:\n    lead()\nelse:\n    follow()\n", False),
        ("def lead():\n    dist.barrier()\nif rank == 0:\n    lead()\ndist.barrier()\n", False),
        ("def lead():\n    if world_size > 1:\n        dist.barrier()\nif rank == 0:\n    lead()\n", False),
        ("def check():\n    dist.all_reduce(value)\nif rank == 0:\n    check()\n"
         "dist.all_reduce(value)\n", True),
        ("def check():\n    dist.all_reduce(value)\nif rank == 0:\n    check()\n"
         "if rank > 0:\n    dist.all_reduce(value)\n", False),
        ("rank, world = (int(os.environ[k]) for k in ('RANK', 'WORLD_SIZE'))\n"
         "if rank == 0:\n    dist.all_reduce(value)\n", True),
        ("world, rank = (int(os.environ[k]) for k in ('RANK', 'WORLD_SIZE'))\n"
         "if rank == 0:\n    dist.all_reduce(value)\n", False),
        ("model = FSDP(Net())\ndef loss(x):\n    return model(x)\ndef validate():\n"
         "    print(loss(value))\nif step % 50 == 0 and rank == 0:\n    validate()\n", True),
        ("model = FSDP(Net())\nif rank == 0:\n    print(model)\n", False),
        ("model = Net()\nfully_shard(model)\nif rank == 0:\n    model(value)\nelse:\n"
         "    model(value)\n", False),
        ("@rank_zero_only\ndef report():\n    dist.all_reduce(value)\nreport()\n", True),
        ("@rank_zero_only\ndef report():\n    print(value)\nreport()\n", False),
        ("@timed\ndef report():\n    dist.all_reduce(value)\nreport()\n", False),
    ],
)  # fmt: skip
def test_a_collective_of_some_ranks(lint_text: Lint, body: str, fires: bool) -> None:
    told = [(f.name, f.severity) for f in lint_text(_START + body, "train.py")]
    assert told == ([(EXTRA, "error")] if fires else [])


@pytest.mark.parametrize(("call", "fires"), [("gather(value)", True), ("print(value)", False)])
def test_the_main_process_of_accelerate(lint_text: Lint, call: str, fires: bool) -> None:
    text = (
        "from accelerate import Accelerator\naccelerator = Accelerator()\n"
        f"if accelerator.is_main_process:\n    accelerator.{call}\n"
    )
    assert [f.name for f in lint_text(text, "train.py")] == ([EXTRA] if fires else [])


@pytest.mark.parametrize(
    ("body", "fires"),
    [
        ("torch.save(model.state_dict(), 'last.pt')\n", True),
        ("for step in range(9):\n    if step % 3 == 0:\n"
         "        torch.save(model.state_dict(), f'ckpt/{step}.pt')\n", True),
        ("def main():\n    torch.save(model.state_dict(), 'a.pt')\n"
         "if __name__ == '__main__':\n    main()\n", True),
        ("if rank == 0:\n    torch.save(model.state_dict(), 'last.pt')\n", False),
        ("torch.save(model.state_dict(), f'last-{rank}.pt')\n", False),
        ("torch.save(model.state_dict(), path)\n", False),
        ("def main():\n    if rank != 0:\n        return\n    torch.save(model, 'a.pt')\nmain()\n", False),
        ("def save():\n    torch.save(model.state_dict(), 'a.pt')\nif rank == 0:\n    save()\n", False),
        ("if best:\n    torch.save(model.state_dict(), 'a.pt')\n", False),
    ],
)  # fmt: skip
def test_a_file_that_every_rank_writes(lint_text: Lint, body: str, fires: bool) -> None:
    told = [(f.name, f.severity) for f in lint_text(_START + body, "train.py")]
    assert told == ([(RACE, "warning")] if fires else [])


_LABELS = """from transformers import AutoModelForCausalLM
import torch
model = {model}.from_pretrained("a/b").cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for batch in loader:
    optimizer.zero_grad()
    ids = batch["input_ids"].cuda()
    loss = model({inputs}, labels={labels}).loss
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("model", "inputs", "labels", "fires"),
    [
        ("AutoModelForCausalLM", "input_ids=ids[:, :-1]", "ids[:, 1:]", True),
        ("AutoModelForCausalLM", "ids[:, :-1].contiguous()", "ids[:, 1:].contiguous()", True),
        ("AutoModelForCausalLM", "input_ids=ids", "ids", False),
        ("AutoModelForCausalLM", "input_ids=ids[:, :-1]", "ids[:, :-1]", False),
        ("AutoModelForCausalLM", "input_ids=ids[:, :-1]", "other[:, 1:]", False),
        ("MyModel", "input_ids=ids[:, :-1]", "ids[:, 1:]", False),
    ],
)
def test_labels_that_the_model_shifts_again(
    lint_text: Lint, model: str, inputs: str, labels: str, fires: bool
) -> None:
    text = _LABELS.format(model=model, inputs=inputs, labels=labels)
    assert [(f.name, f.line) for f in lint_text(text, "train.py")] == [(SHIFTED, 8)] * fires


_ACCUMULATES = """import torch
model = Net().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
accum = 8
total = len(loader) // accum
for i, batch in enumerate(loader):
    loss = model(batch).loss
    loss.backward()
    if (i + 1) % accum == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
"""


@pytest.mark.parametrize(
    ("old", "new", "fires"),
    [
        ("total", "total", True),
        ("loss = model(batch).loss", "loss = model(batch).loss / accum", False),
        ("    loss.backward()", "    loss /= accum\n    loss.backward()", False),
        ("loss.backward()", "(loss / accum).backward()", False),
        ("loss = model(batch).loss", "loss = criterion(model(batch), accum)", False),
        ("loss = model(batch).loss", "loss = scale * model(batch).loss", False),
        ("torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)", "pass", False),
        ("(i + 1) % accum == 0", "ready", False),
    ],
)
def test_a_loss_that_is_not_divided(lint_text: Lint, old: str, new: str, fires: bool) -> None:
    assert old in _ACCUMULATES
    told = [f.name for f in lint_text(_ACCUMULATES.replace(old, new), "train.py")]
    assert told == ([UNDIVIDED] if fires else [])


_ALONE = """import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
model = DDP(Net())
best, bad = 1e9, 0
for epoch in range(10):
    running = 0.0
    for batch in loader:
        loss = model(batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        running += loss.item()
    bad = 0 if running < best else bad + 1
    best = min(best, running)
    if bad >= patience:
        break
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    bad = 0", "    running = average(running)\n    bad = 0"),
        ("    bad = 0", "    dist.all_reduce(running)\n    bad = 0"),
        ("bad >= patience", "epoch >= 3"),
        ("bad >= patience", "math.isnan(running)"),
        ("        break", "        print('no better')"),
        ("DDP(Net())", "Net()"),
    ],
)
def test_a_loop_that_each_rank_leaves_by_its_own_loss(lint_text: Lint, old: str, new: str) -> None:
    assert [one.name for one in lint_text(_ALONE, "train.py")] == ["uneven-batches-per-rank"]
    assert old in _ALONE
    assert not lint_text(_ALONE.replace(old, new), "train.py")


_GLOO = """import torch
import torch.distributed as dist
dist.init_process_group("gloo")
torch.cuda.set_device(local)
for x in loader:
    loss = model(x.cuda())
    loss.backward()
"""


@pytest.mark.parametrize(
    ("old", "new", "fires"),
    [
        ("", "", True),
        ('"gloo"', '"nccl"', False),
        ('"gloo"', '"cpu:gloo,cuda:nccl"', False),
        ("torch.cuda.set_device(local)\n", "", True),
        ("torch.cuda.set_device(local)\nfor x in loader:\n    loss = model(x.cuda())",
         "for x in loader:\n    loss = model(x)", False),
        ('dist.init', 'if not torch.cuda.is_available():\n    dist.init', False),
    ],
)  # fmt: skip
def test_a_backend_for_cpus(lint_text: Lint, old: str, new: str, fires: bool) -> None:
    found = lint_text(_GLOO.replace(old, new, 1), "train.py")
    assert [f.name for f in found if f.severity != "info"] == ["gloo-between-gpus"] * fires


@pytest.mark.parametrize(
    ("flags", "fires"),
    [
        ("--bf16 --distributed-backend gloo", True),
        ("--bf16 --distributed-backend nccl", False),
        ("--rdzv-backend gloo", False),
    ],
)
def test_a_backend_in_a_command(lint_text: Lint, flags: str, fires: bool) -> None:
    text = f"#!/bin/bash\ntorchrun --nproc_per_node 2 pretrain_gpt.py --num-layers 2 {flags}\n"
    assert ("gloo-between-gpus" in [f.name for f in lint_text(text, "run.sh")]) == fires
