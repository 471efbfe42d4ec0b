"""A number that a curve probe tells beside a step is the one of that step's row, and its line is
cited: no level of many rows stands for one."""

from __future__ import annotations

import importlib
import math
import pkgutil
import random
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from medic.probes import curve as room
from medic.probes.curve import eval_nan, nan
from medic.probes.curve.numbers import typical
from medic.probes.logs.metric_names import canonical

from medic.facts import Curve
from medic.facts.memory import gib
from medic.i18n import show
from medic.index.knowledge import load
from medic.probe import Finding
from medic.session.sentences import finding_text
from tests.probes.test_curve_more import curve, series, thresholds

BESIDE = re.compile(r"(-?[\d.,]*\d(?:e[+-]?\d+)?(?: GiB)?) (?:tokens )?at step ([\d,]*\d)")
GIB = 2**30


def probes() -> Iterator[ModuleType]:
    for found in pkgutil.iter_modules(room.__path__):
        module = importlib.import_module(f"{room.__name__}.{found.name}")
        if hasattr(module, "PROBE") and module.PROBE.needs == (Curve,):
            yield module


def _shape(name: str, chance: random.Random, n: int) -> float:
    noise = math.exp(chance.gauss(0, 0.08))
    return {
        "diverges": (8 * math.exp(-n / 20) + 2 if n < 100 else 2 * 1.05 ** (n - 100)) * noise,
        "jumps": (3.0 if n < 120 else 9.0 + 3 * chance.random()) * noise,
        "creeps": 3.0 * 1.08 ** max(0, n - 100) * math.exp(chance.gauss(0, 0.01)),
        "flat": 11.0 * math.exp(chance.gauss(0, 0.002)),
        "decays": 0.6 * math.exp(-n / 30) * noise + 0.004,
        "climbs": 0.02 * math.exp(n / 18) * noise,
        "gains": (1 + n / 20) * noise,
        "collapses": (n if n < 100 else 1) / 20 * noise,
        "grows": (20 + 0.2 * n + chance.random()) * GIB,
        "cosine": 3e-4 * (0.5 + 0.5 * math.cos(math.pi * min(n, 100) / 100)),
        "zero": 0.0,
    }[name]


RUNS = {
    "diverged": {"loss": "diverges", "grad_norm": "gains", "learning_rate": "cosine"},
    "jumped": {"loss": "jumps", "memory": "grows", "host_memory": "grows"},
    "crept": {"loss": "creeps", "grad_norm": "gains"},
    "flat": {"loss": "flat", "learning_rate": "cosine", "grad_norm": "climbs"},
    "entropy": {"entropy": "decays", "kl": "zero", "reward": "gains"},
    "exploited": {"kl": "climbs", "reward": "gains", "held_score": "decays"},
    "policy": {"kl": "climbs", "reward": "collapses", "response_length": "climbs"},
    "clipped": {"clip_share": "decays", "reward": "zero", "grad_norm": "zero", "loss": "zero"},
    "preference": {"loss": "decays", "reward_margin": "climbs", "reward_chosen": "decays"},
}


def made(run: str, seed: int) -> Curve:
    chance = random.Random(seed)
    found = []
    for name, shape in RUNS[run].items():
        values = [_shape(shape, chance, n) for n in range(220)]
        found.append(series(name, values, [5 * n for n in range(1, 221)]))
    planned = 4000 if "learning_rate" in RUNS[run] else None
    return curve(*found, planned_steps=planned)


def seen(look: Any, at: Curve) -> Iterator[Finding]:
    for module in probes():
        facts = look(facts=[at], thresholds=thresholds())
        yield from (f for f in module.run(facts) if isinstance(f, Finding))


def rows(found: Finding, at: Curve) -> set[tuple[str, str]]:
    """(value, step) as they are shown of every row that the finding cites."""
    lines = {s.line for s in (found.source, *found.more)}
    told = set()
    for own in at.series.values():
        for step, value, line in zip(own.steps, own.values, own.lines, strict=True):
            if line in lines:
                told |= {(show(value, "en"), show(step, "en")), (gib(value, 2), show(step, "en"))}
    return told


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_number_beside_a_step_is_of_a_row_that_is_cited(look: Any, run: str, seed: int) -> None:
    at, index, checked = made(run, seed), load(), 0
    for found in seen(look, at):
        if found.outcome == "absent":
            continue
        text = finding_text(index, found)
        for told in BESIDE.findall(text.en):
            assert told in rows(found, at), (found.name, text.en)
            assert all(part in text.zh for part in told), text.zh
            checked += 1
        assert found.name.startswith("validation") or "at first" not in text.en
    assert checked


def test_a_rise_over_many_rows_came_not_without_warning(look: Any) -> None:
    def timing(values: list[float]) -> str | None:
        found = seen(look, curve(series("loss", values)))
        return next((f.outcome for f in found if f.name == "loss-jump-timing"), None)

    calm = [3.0 + 0.01 * (n % 3) for n in range(100)]
    assert timing([*calm, *(3.0 * 1.1**n for n in range(60))]) is None
    assert timing([*calm, *[14.0 + 0.01 * n for n in range(60)]]) == "single-step"
    assert timing(calm) == "none"


def test_a_floor_begins_where_the_lowest_rate_is(look: Any) -> None:
    at = made("diverged", 1)
    found = next(f for f in seen(look, at) if f.name == "learning-rate-collapsed")
    assert (found.value["step"], found.value["floor"]) == (505, 0.0)


def test_the_row_that_stands_for_a_stretch() -> None:
    assert typical([5.0, 1.0, 2.0, math.nan, 9.0]) in (0, 2)
    assert typical([1.0, 1.0, 1.0]) == 0
    assert typical([1.0, 1.0, 1.0], late=True) == 2


def test_a_loss_of_zero_is_not_told_to_be_no_number(look: Any) -> None:
    def told(loss: float, norm: float) -> dict[str, str]:
        held = series("eval_loss", [math.nan], [20])
        at = curve(series("loss", [loss] * 30), series("grad_norm", [norm] * 30), held)
        facts = look(facts=[at], thresholds=thresholds())
        found = [f for m in (nan, eval_nan) for f in m.run(facts) if isinstance(f, Finding)]
        return {f.name: finding_text(load(), f).en for f in found if f.outcome != "absent"}

    zero = told(0.0, math.nan)
    assert zero["loss-nan"].startswith("the gradient norm beside a logged loss of 0 is")
    assert "eval-loss-nan" not in zero
    assert told(math.nan, math.nan)["loss-nan"].startswith("the loss is not a number")
    assert "eval-loss-nan" in told(2.0, 1.0)


def test_the_loss_before_the_first_update_has_its_row(look: Any) -> None:
    at = curve(series("loss", [11.87, *[math.nan] * 20]))
    found = [
        f for f in nan.run(look(facts=[at], thresholds=thresholds())) if isinstance(f, Finding)
    ]
    onset = next(f for f in found if f.name == "nan-onset")
    assert onset.outcome == "after-first-update"
    assert ("11.87", "1") in rows(onset, at)
    assert "11.87 at step 1" in finding_text(load(), onset).en


@pytest.mark.parametrize(
    ("shape", "outcome"),
    [
        (lambda n: 118 + 8.4 * n, "without-end"),
        (lambda n: 400 - 280 * math.exp(-n / 60), "grows"),  # a cache that fills
        (lambda n: 118 + 0.3 * n, "grows"),
        (lambda n: 118 + n % 3, None),
    ],
)
def test_host_memory_that_no_limit_is_enough_for(look: Any, shape: Any, outcome: Any) -> None:
    at = curve(series("host_memory", [shape(n) * GIB for n in range(212)]))
    found = {f.name: f.outcome for f in seen(look, at)}
    assert found.get("host-memory-phase") == outcome
    assert canonical("rss_total_gb") == ("host_memory", 2.0**30)
