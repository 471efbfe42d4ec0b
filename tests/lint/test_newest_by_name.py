"""Checkpoints that scripts and programs take as the newest, by the text of their names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
OLDER = "older-checkpoint-resumed"
SAVES = 'import torch\ntorch.save(model.state_dict(), f"out/ckpt-{step + 1}.pt")\nloss.backward()\n'
PADS = SAVES.replace("{step + 1}", "{step + 1:06d}")


def script(pipe: str) -> str:
    return f"#!/bin/bash\nLAST=$({pipe})\npython train.py --resume $LAST\n"


def told(found: tuple[LintFinding, ...]) -> list[int]:
    return [one.line for one in found if one.name == OLDER]


@pytest.mark.parametrize(
    "pipe",
    [
        "ls ckpt/ckpt-*.pt 2>/dev/null | sort | tail -n 1",
        "ls ckpt/ckpt-*.pt | tail -1",
        "ls -r ckpt/ckpt-*.pt | head -1",
        "ls -1 ckpt | grep 'ckpt-*' | sort -r | head -n 1",
        "find out -name 'ckpt-*.pt' | sort | tail -1",
    ],
)
def test_a_script_that_sorts_names_as_text(lint_text: Lint, pipe: str) -> None:
    assert told(lint_text(script(pipe), "run.sh", {"train.py": SAVES})) == [2]


@pytest.mark.parametrize(
    "pipe",
    [
        "ls ckpt/ckpt-*.pt | sort -V | tail -n 1",
        "ls ckpt/ckpt-*.pt | sort -t- -k2 -n | tail -n 1",
        "ls -v ckpt/ckpt-*.pt | tail -n 1",
        "ls -t ckpt/ckpt-*.pt | head -n 1",
        "ls ckpt/ckpt-*.pt | sort | head -n 1",
        "ls logs/run-*.txt | sort | tail -n 1",
        "find out -name 'ckpt-*.pt' | tail -1",
    ],
)
def test_a_script_that_orders_otherwise(lint_text: Lint, pipe: str) -> None:
    assert not told(lint_text(script(pipe), "run.sh", {"train.py": SAVES}))


def test_names_that_are_padded_or_not_known(lint_text: Lint) -> None:
    text = script("ls ckpt/ckpt-*.pt | sort | tail -n 1")
    assert not told(lint_text(text, "run.sh", {"train.py": PADS}))
    assert not told(lint_text(text, "run.sh"))
    # Those of transformers are never padded.
    assert told(lint_text(text.replace("ckpt-*.pt", "checkpoint-*"), "run.sh")) == [2]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ('path = sorted(glob.glob("out/ckpt-*.pt"))[-1]\n', [4]),
        ('path = max(glob.glob("out/ckpt-*.pt"))\n', [4]),
        ('found = sorted(Path("out").glob("ckpt-*.pt"))\npath = found[-1]\n', [5]),
        ('path = max(n for n in os.listdir(out) if n.startswith("ckpt-"))\n', [4]),
        ('path = max(glob.glob("out/checkpoint-*"))\n', [4]),
        ('path = max(glob.glob("out/ckpt-*.pt"), key=os.path.getmtime)\n', []),
        ('path = sorted(glob.glob("out/ckpt-*.pt"), key=number)[-1]\n', []),
        ('path = max(int(n[5:-3]) for n in os.listdir(out) if n.startswith("ckpt-"))\n', []),
        ('path = sorted(glob.glob("out/iter_*"))[-1]\n', []),
        ('path = sorted(glob.glob("data/shard-*"))[-1]\n', []),
    ],
)
def test_a_program_that_takes_the_last_name(lint_text: Lint, code: str, lines: list[int]) -> None:
    assert told(lint_text(SAVES + code, "train.py")) == lines
