"""What a program does in each step: profiles, looks for NaN, empties caches, logs all tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

PROGRAM = """
import gc, torch
{top}
def train_step(x):
    loss = model(x)
    loss.backward()
    opt.step(); opt.zero_grad()
    return loss

def fit():
    for step, x in enumerate(loader):
        {before}train_step(x)
        {after}
"""


def judged(folder: Path, program: str, steps: int = 60, end: str = "training finished") -> Result:
    rows = [
        f"2026-03-01 10:{n // 60:02d}:{n % 60:02d} INFO step {n}/{steps} loss={5 - n * 0.01:.4f} "
        f"lr=3.000e-04 step_time=1.00s\n"
        for n in range(1, steps + 1)
    ]
    (folder / "train.log").write_text("".join(rows) + f"2026-03-01 10:59:59 INFO {end}\n")
    (folder / "config.yaml").write_text("train: {seq_len: 256, lr: 0.0003, max_steps: 60}\n")
    (folder / "launch.sh").write_text("#!/bin/bash\npython train.py --config config.yaml\n")
    (folder / "train.py").write_text(program)
    return judge(Labelled("run", folder=str(folder)), load())


def program(top: str = "", before: str = "", after: str = "pass") -> str:
    return PROGRAM.format(top=top, before=before, after=after)


ALL = "for n, p in model.named_parameters():\n            {}tb.add_histogram(n, p, step)"
DEBUG, WAITS = "debug-switches-left-on", "host-waits-every-step"
LOGS = "save-or-evaluate-too-often"
FIRES = [
    (program(before="with torch.profiler.profile() as prof: "), DEBUG),
    (program(after="prof.export_chrome_trace(f'trace_{step}.json')"), DEBUG),
    (program(top="torch.autograd.set_detect_anomaly(True)"), DEBUG),
    (program(before="with torch.autograd.detect_anomaly(): "), DEBUG),
    (program(after="torch.cuda.empty_cache()"), WAITS),
    (program(after="gc.collect()"), WAITS),
    (program(after=ALL.format("")), LOGS),
]
QUIET = [
    program(before="with torch.profiler.profile(schedule=s) as prof: ", after="prof.step()"),
    program(after="if step == 10: prof.export_chrome_trace('trace.json')"),
    program(top="torch.autograd.set_detect_anomaly(args.debug)"),
    program(top="if args.debug:\n    torch.autograd.set_detect_anomaly(True)"),
    program(after="if step % 100 == 0: torch.cuda.empty_cache()"),
    program(top="gc.collect(); torch.cuda.empty_cache()"),
    program(after="if step % 100: continue\n        gc.collect()"),
    program(after="if step % 100 == 0:\n            " + ALL.format("    ").replace("\n", "\n    ")),
    program(after="tb.add_histogram('reward', rewards, step)"),
]


@pytest.mark.parametrize(("text", "cause"), FIRES)
def test_what_is_done_in_each_step(tmp_path: Path, text: str, cause: str) -> None:
    assert judged(tmp_path, text).named[0] == cause


@pytest.mark.parametrize("text", QUIET)
def test_what_is_done_seldom_or_once(tmp_path: Path, text: str) -> None:
    assert not {DEBUG, WAITS, LOGS} & set(judged(tmp_path, text).named[:1])


def test_a_few_steps_or_a_failure_are_a_search(tmp_path: Path) -> None:
    assert DEBUG not in judged(tmp_path, FIRES[2][0], steps=10).named[:1]
    lines = '\nTraceback (most recent call last):\n  File "train.py", line 6, in train_step\n'
    end = lines + "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output."
    assert DEBUG not in judged(tmp_path, FIRES[2][0], end=end).named[:1]
