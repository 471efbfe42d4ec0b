"""The load of each expert, printed as a list."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import expert_loads

from medic.facts import Hit, LogHits, Source, StepLine
from medic.probe import Finding


@pytest.mark.parametrize(
    ("line", "last_step", "ratio"),
    [
        ("tokens_per_expert (layer 9): [40112, 33, 7, 0, 52, 19, 4, 21]", 900, "7.97"),
        ("layer 3 expert load: [0.52, 0.01, 0.22, 0.25]", 900, "2.08"),
        ("expert loads tensor([1e3, 1.1e3, 9e2, 1.05e3])", 900, None),
        ("tokens_per_expert: [40112, 33, 7, 0, 52]", 20, None),  # early
        ("tokens per expert: [4, 3]", 900, None),
        # The line's own time is no list of loads.
        ("[2026-11-12 12:34:03] step=600 expert_load(l7)=[0.24, 0.26, 0.25, 0.25]", 900, None),
        ("[2026-11-12 12:34:03] [12, 3, 4, 5] expert_load=[9, 1, 1, 1]", 900, "3.00"),
        ("    layer 3 expert load: 0.133 0.000 0.749 0.000 0.044", 900, "4.04"),
        ("expert load 0.24 0.26 0.25 0.25", 900, None),
        ("expert load: see below", 900, None),
        ("[11/12/2026-12:34:03] tokens_per_expert: [250, 260, 255, 251]", 900, None),
    ],
)
def test_loads(look: Any, line: str, last_step: int, ratio: str | None) -> None:
    mark = Hit("expert-loads", "", "context", Source("a.log", 7, text=line), {}, (0.0, 0, 7))
    seen = look(facts=[LogHits(marks=(mark,), last_step=last_step)])
    found = [f for f in expert_loads.run(seen) if isinstance(f, Finding)]
    assert [f.value["ratio"] for f in found] == ([ratio] if ratio else [])


def steps(
    unused: int, total: int, *, first: int = 100, name: str = "experts_unused"
) -> tuple[StepLine, ...]:
    lines = [
        f"step {n} | loss 2.9 | dropped_tokens 0.55 | {name} {unused}/{total}"
        for n in range(first, first + 60, 10)
    ]
    return tuple(
        StepLine(first + 10 * i, {"loss": 2.9}, Source("a.log", i + 1, text=t))
        for i, t in enumerate(lines)
    )


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (steps(48, 64), "48 of 64 experts get no token, 55% of the tokens are dropped"),
        (
            steps(3, 8, name="dead experts:"),
            "3 of 8 experts get no token, 55% of the tokens are dropped",
        ),
        (steps(2, 64), None),
        (steps(0, 64), None),
        (steps(48, 64, first=0), None),  # early
    ],
)
def test_experts_without_tokens(look: Any, lines: tuple[StepLine, ...], words: str | None) -> None:
    seen = look(facts=[LogHits(steps=lines, last_step=lines[-1].step)])
    found = [f for f in expert_loads.run(seen) if isinstance(f, Finding)]
    told = [f.value["told"].en for f in found if f.name == expert_loads.SYMPTOM]
    assert told == ([words] if words else [])


def test_one_layer_of_several_is_no_collapse(look: Any) -> None:
    """Of the last step's layers the one in the middle tells."""
    lines = ["expert load: 0.26 0.25 0.24 0.25"] * 3 + ["expert load: 0.80 0.10 0.05 0.05"]
    for odd, ratio in ((1, []), (3, ["3.20"])):
        of = [lines[-1]] * odd + lines[: 4 - odd]
        marks = tuple(
            Hit("expert-loads", "", "context", Source("a.log", n, text=t), {}, (0.0, 0, n))
            for n, t in enumerate(of, 7)
        )
        seen = look(facts=[LogHits(marks=marks, last_step=300)])
        found = [f for f in expert_loads.run(seen) if isinstance(f, Finding)]
        assert [f.value["ratio"] for f in found] == ratio


def dropping(shares: list[str], first: int = 100) -> list[StepLine]:
    return [
        StepLine(first + 10 * i, {}, Source("a.log", i + 1, text=f"lm loss 2.1 | tokens dropped: {s}"))
        for i, s in enumerate(shares)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        (dropping(["75.0%"] * 6), "present"),
        (dropping(["0.41"] * 6), "present"),
        (dropping(["75.0%"] * 6, first=10), None),  # early
        (dropping(["30%", "22%", "14%", "11%", "9%", "8%"]), "absent"),  # on its way
        (dropping(["0.2%"] * 6), "absent"),
        (dropping(["75.0%"] * 3), None),
    ],
)
def test_dropped_tokens(look: Any, lines: list[StepLine], outcome: str | None) -> None:
    seen = look(facts=[LogHits(steps=tuple(lines), last_step=lines[-1].step)])
    found = [f for f in expert_loads.run(seen) if isinstance(f, Finding)]
    assert [f.outcome for f in found if f.name == "tokens-dropped"] == ([outcome] * bool(outcome))
