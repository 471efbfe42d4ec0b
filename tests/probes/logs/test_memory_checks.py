"""Out of memory: what the sentence says, and when it came."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.curve import curve
from medic.probes.logs import oom_numbers, oom_phase, text_checks

from medic.facts import Curve, Frame

QUIET = "step 1/2 | loss 3.0\nstep 2/2 | loss 2.9\n"


def oom(request: str, free: str, process: str, allocated: str, loose: str) -> str:
    return (
        f"[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {request}. GPU 0 has "
        f"a total capacity of 80.00 GiB of which {free} is free. Including non-PyTorch memory, this "
        f"process has {process} memory in use. Of the allocated memory {allocated} is allocated by "
        f"PyTorch, and {loose} is reserved by PyTorch but unallocated.\n"
    )


def old_oom(request: str, allocated: str, free: str, reserved: str) -> str:
    return (
        f"RuntimeError: CUDA out of memory. Tried to allocate {request} (GPU 0; 80.00 GiB total "
        f"capacity; {allocated} already allocated; {free} free; {reserved} reserved in total by "
        "PyTorch)\n"
    )


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        (oom("4.00 GiB", "2.00 GiB", "77.90 GiB", "74.00 GiB", "2.00 GiB"), "genuine-need"),
        (oom("4.00 GiB", "1.00 GiB", "78.90 GiB", "60.00 GiB", "17.00 GiB"), "fragmentation"),
        (oom("4.00 GiB", "1.00 GiB", "20.00 GiB", "17.00 GiB", "1.00 GiB"), "other-process"),
        (oom("90.00 GiB", "50.00 GiB", "20.00 GiB", "17.00 GiB", "1.00 GiB"), "one-large-tensor"),
        (oom("9.00 GiB", "1.00 GiB", "74.90 GiB", "73.00 GiB", "1.00 GiB"), "genuine-need"),
        (oom("40.00 GiB", "30.00 GiB", "49.90 GiB", "45.00 GiB", "3.00 GiB"), "one-large-tensor"),
        (oom("20.00 MiB", "8.00 MiB", "79.90 GiB", "76.00 GiB", "90.00 MiB"), "genuine-need"),
        (old_oom("4.00 GiB", "70.00 GiB", "1.00 GiB", "76.50 GiB"), "genuine-need"),
        (old_oom("4.00 GiB", "60.00 GiB", "1.00 GiB", "77.00 GiB"), "fragmentation"),
        (old_oom("4.00 GiB", "20.00 GiB", "1.00 GiB", "21.00 GiB"), "other-process"),
        (QUIET, "not-oom"),
        ("To avoid CUDA out of memory, lower the batch\n" + QUIET, "not-oom"),
    ],
)
def test_numbers_of_the_sentence(read: Any, line: str, outcome: str) -> None:
    assert read(line).ask(oom_numbers.PROBE)["oom-shortfall"].outcome == outcome


def test_numbers_are_shown_as_torch_writes_them(read: Any) -> None:
    line = oom("4.00 GiB", "2.00 GiB", "77.90 GiB", "74.00 GiB", "812.00 MiB")
    value = read(line).ask(oom_numbers.PROBE)["oom-shortfall"].value
    assert value["request"] == "4.00 GiB"
    assert value["unallocated"] == "812.00 MiB"


def test_a_short_sentence_leaves_the_check_open(read: Any) -> None:
    assert not read("torch.cuda.OutOfMemoryError: CUDA out of memory.\n").ask(oom_numbers.PROBE)


LIB = "/v/lib/python3.12/site-packages/torch/"


@pytest.mark.parametrize(
    ("frames", "steps", "phase"),
    [
        ([Frame("train.py", 1, "main", "loss = model(x)"), Frame(LIB + "nn/f.py", 2, "forward")], None, "first-step"),
        ([Frame("train.py", 1, "main", "loss.backward()")], 1, "first-step"),
        ([Frame("train.py", 1, "main", "loss.backward()")], 900, "later-step"),
        ([Frame("train.py", 1, "main", "opt.step()"), Frame(LIB + "optim/adamw.py", 9, "_init_group")], None, "optimizer-step"),
        ([Frame("train.py", 1, "main", "optimizer.step()")], 40, "later-step"),
        ([Frame("train.py", 1, "main", "model = model.to(dev)"), Frame(LIB + "nn/modules/module.py", 9, "_apply")], None, "at-load"),
        ([Frame("train.py", 1, "main", "m = A.from_pretrained(name)")], None, "at-load"),
        ([Frame("train.py", 1, "main", "model.load_state_dict(c)")], None, "at-load"),
        ([Frame("train.py", 1, "main", "evaluate(model)"), Frame(LIB + "nn/f.py", 2, "forward")], 500, "save-or-eval"),
        ([Frame("t.py", 1, "save_checkpoint", "torch.save(model.state_dict(), f)")], 500, "save-or-eval"),
        ([Frame("train.py", 1, "main", "x, y = x.to(dev), y.to(dev)")], None, "first-step"),
        ([Frame("/evaluate/save/train.py", 1, "main", "loss.backward()")], None, "first-step"),
        ([], 70, "later-step"),
        ([], None, None),
    ],
)  # fmt: skip
def test_phases(frames: list[Frame], steps: int | None, phase: str | None) -> None:
    assert oom_phase.phase(tuple(frames), steps) == phase


@pytest.mark.parametrize(
    ("steps", "phase"),
    [
        ("iteration 270/400 | lm loss: 2.1\n", "later-step"),  # of all ranks, by one
        ("[rank0]: step 270 | loss 2.1\n", "later-step"),
        ("[rank1]: step 270 | loss 2.1\n", "later-step"),  # ranks step together
        ("", "first-step"),
    ],
)
def test_whose_steps_count(read: Any, steps: str, phase: str) -> None:
    text = (
        steps + "[rank0]: Traceback (most recent call last):\n"
        '[rank0]:   File "/job/train.py", line 90, in main\n'
        "[rank0]:     loss.backward()\n"
        "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    )
    assert read(text).ask(oom_phase.PROBE)["oom-phase"].outcome == phase


_STEPS = "step 280 | loss 2.1\nstep 290 | loss 2.1\n"
_IN_MODEL = (
    "Traceback (most recent call last):\n"
    '  File "/job/train.py", line 90, in main\n'
    "    {call}\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
)
_EPOCH_BAR = "Epoch 0:  50%|█████     | 100/200 [00:50<00:50,  2.10it/s, v_num=3]"


@pytest.mark.parametrize(
    ("before", "call", "phase"),
    [
        (_EPOCH_BAR + "\rValidation DataLoader 0:   3%|▎         | 1/33 [00:01<00:40,  1.25s/it]", "run(cfg)", "save-or-eval"),
        ("Sanity Checking DataLoader 0:  50%|█████     | 1/2 [00:01<00:01,  1.25s/it]\n", "run(cfg)", "save-or-eval"),
        (_STEPS + "\nEvaluating:  12%|█▏        | 24/200 [00:10<01:20,  2.20it/s]\n", "logits = model(x)", "save-or-eval"),
        (_STEPS + "Running validation:  40%|████      | 40/100 [00:20<00:30,  2.0it/s]\n", "logits = model(x)", "save-or-eval"),
        (_STEPS + "Validation  ━━━━━━━╺━━━━━━━━━━━ 3/33 0:00:01 • 0:00:40\n", "logits = model(x)", "save-or-eval"),
        (_STEPS + "验证:  40%|████      | 40/100 [00:20<00:30,  2.0it/s]\n", "logits = model(x)", "save-or-eval"),
        # it was through, the training went on, or the bar is of something else
        (_STEPS + "Running validation: 100%|██████████| 100/100 [00:50<00:00,  2.0it/s]\n", "logits = model(x)", "later-step"),
        (_STEPS + "Evaluating:  12%|█▏        | 24/200 [00:10<01:20,  2.20it/s]\nstep 300 | loss 2.1\n", "logits = model(x)", "later-step"),
        (_STEPS + "Evaluating:  12%|█▏        | 24/200 [00:10<01:20,  2.20it/s]\n", "loss.backward()", "later-step"),
        ("Validation DataLoader 0:   3%|▎         | 1/33 [00:01<00:40,  1.25s/it]\r" + _EPOCH_BAR + "\n" + _STEPS, "run(cfg)", "later-step"),
        (_STEPS + "Tokenizing validation split:  12%|█▏        | 24/200 [00:10<01:20,  2.20it/s]\n", "logits = model(x)", "later-step"),
    ],
)  # fmt: skip
def test_the_bar_tells_the_phase(read: Any, before: str, call: str, phase: str) -> None:
    asked = read(before + _IN_MODEL.format(call=call)).ask(oom_phase.PROBE)
    assert asked["oom-phase"].outcome == phase


@pytest.mark.parametrize(
    ("added", "outcome"), [(8.4, "limit-after-growth"), (0.0, "limit-recorded")]
)
def test_a_limit_that_growth_reaches_is_not_too_low(read: Any, added: float, outcome: str) -> None:
    text = "".join(
        f"step {n}/900 | loss 2.0 | cpu_mem_gb {118 + added * n}\n" for n in range(1, 90)
    )
    killed = read(
        text + "slurmstepd: error: Detected 1 oom_kill event in StepId=9.batch. Some of the step "
        "tasks have been OOM Killed.\nTasks state: memory cgroup out of memory\n"
        "Memory cgroup out of memory: Killed process 77 (python) total-vm:9kB, anon-rss:9kB\n"
    )
    killed.look.facts[Curve] = next(c for c in curve.run(killed.look) if isinstance(c, Curve))
    assert killed.ask(text_checks.PROBE)["host-kill-record"].outcome == outcome
