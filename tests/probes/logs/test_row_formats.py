"""Rows of every usual print are read: loss, evaluation, rate, norm, time and speed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from medic.probes.logs.clock import Clock
from medic.probes.logs.prefix import Prefixes, message
from medic.probes.logs.step_rows import StepRows

from medic.facts import Source

from .row_formats import FORMATS, NONE

N = 12
NAMES = {
    "L": "loss", "V": "eval_loss", "r": "learning_rate", "g": "grad_norm", "d": "step_time",
    "t": "tokens_per_s",
}  # fmt: skip


def numbers(n: int) -> dict[str, float]:
    loss = 4.0 - n / 7 + 0.01 * (-1) ** n
    at = 20 * n
    return {
        "s": at, "L": loss, "V": loss + 0.3, "r": 1e-3 * (1 - n / 40), "g": 0.9 + n / 100,
        "m": 200 + n, "d": (200 + n) / 1000, "k": 40 + n, "t": (40 + n) * 1000, "p": math.exp(loss),
        "b": loss / math.log(2), "e": (at - 20) // 100, "E": (at - 20) // 100 + 1,
        "i": (at - 20) % 100, "a": 10 + 7 * n,
    }  # fmt: skip


def printed(form: str) -> list[str]:
    lines = [line[1:] for line in form.split("\n") if line.startswith("!")]
    for n in range(1, N + 1):
        told = {k: int(v) if k in "seEi" else v for k, v in numbers(n).items()}
        for line in form.split("\n"):
            if line.startswith("!") or (line.startswith("?") and n % 2):
                continue
            lines.append(line.removeprefix("?").format(c=f"{n:02d}:11", **told))
    return lines


def read(lines: Sequence[str]) -> dict[str, dict[int, float]]:
    """Metric -> step -> value."""
    rows, prefixes = StepRows(), Prefixes(None, Clock())
    for number, line in enumerate(lines, 1):
        words = message(prefixes.read(line).body)
        rows.feed(words, None, lambda at=number: Source("log", at))
    metrics: dict[str, dict[int, float]] = {}
    for row in rows.settle():
        for name, value in row.values.items():
            metrics.setdefault(name, {})[row.step] = value
    return metrics


@pytest.mark.parametrize(("name", "form", "also"), FORMATS, ids=[f[0] for f in FORMATS])
def test_what_a_row_says(name: str, form: str, also: str) -> None:
    metrics = read(printed(form))
    every = {"V": 2} if "\n?" in form else {}
    for letter in also:
        got = list(metrics.get(NAMES[letter], {}).values())
        want = [numbers(n)["L" if letter == "" else letter] for n in range(1, N + 1)]
        want = want[1 :: every.get(letter, 1)] if letter in every else want
        assert len(got) == len(want), f"{name}: {NAMES[letter]} {got}"
        assert got == pytest.approx(want, rel=0.02), f"{name}: {NAMES[letter]}"
    if "L" in also:
        assert list(metrics["loss"]) == sorted(metrics["loss"])
    else:
        assert "loss" not in metrics


@pytest.mark.parametrize("form", NONE)
def test_no_loss(form: str) -> None:
    metrics = read(printed(form))
    assert metrics.keys().isdisjoint({"loss", "eval_loss"})
