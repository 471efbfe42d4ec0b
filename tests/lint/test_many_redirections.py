"""Lines of many redirections and settings are read in time that grows with their length alone."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from medic.lint.found import LintFinding

Lint = Callable[..., tuple[LintFinding, ...]]
SECONDS = 5.0  # a pattern that tries every way needs hours


@pytest.mark.parametrize(
    "line",
    [
        "python train.py --lr 1e-4 " + "2>&1 " * 300,
        "X=" + "k=1," * 300 + " ( \\",
        "A=1 " * 300 + "\\",
        "python train.py " + " >&2" * 300 + " 'x $Y' &",
    ],
)
def test_many_of_them(lint_text: Lint, line: str) -> None:
    begun = time.monotonic()
    lint_text(f"#!/bin/bash\n{line}\nbash -c 'python a.py $NAME'\n", "run.sh")
    assert time.monotonic() - begun < SECONDS
