"""Timers below a step, and what a line says of the wait for data."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.curve import curve, stragglers, throughput
from medic.probes.logs.steps import Steps

from medic.facts import Curve


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("step 20 loss 2.1 data 1620ms step_time 2.05s", {"data_time": 1.62, "step_time": 2.05}),
        ("step 20 | loss 2.1 | data 1.62s | time 2.05s", {"data_time": 1.62, "step_time": 2.05}),
        ("step 20 loss 2.1 data wait 79% lr 1e-4", {"data_share": 0.79, "learning_rate": 1e-4}),
        ("step 20 loss 2.1 data_wait: 79%", {"data_share": 0.79}),
        ("step 20 loss 2.1 data 79%", {}),  # how far an epoch is
        ("step 20 loss 2.1 data 79", {}),
        ("step 20 loss 2.1 metadata 5s", {}),
    ],
)
def test_the_wait_for_data(line: str, values: dict[str, float]) -> None:
    step = Steps().read(line)
    assert step is not None
    assert {n: v for n, v in step.values.items() if n != "loss"} == values


def row(step: int, ms: float = 4210) -> str:
    return (
        f" iteration {step:8d}/ 60000 | consumed samples: {step * 8} | elapsed time per iteration "
        f"(ms): {ms:.1f} | lm loss: {3 - step / 1000:.6f} | grad norm: 0.3 |"
    )


def block(slow: dict[int, float], ranks: int = 16, name: str = "forward-backward") -> list[str]:
    times = [f"     rank {r:2d}: {slow.get(r, 3910 + r):.2f}" for r in range(ranks)]
    return ["times across ranks (ms):", f"  {name}:", *times]


def both(least: float, most: float) -> list[str]:
    return [
        "(min, max) time across ranks (ms):",
        "    forward-compute ................................: (1100.00, 2950.00)",
        f"    forward-backward ...............................: ({least:.2f}, {most:.2f})",
        "    optimizer ......................................: (340.00, 341.00)",
    ]


def ask(read: Any, blocks: list[list[str]], probe: Any = stragglers) -> dict[str, Any]:
    lines = [line for n, more in enumerate(blocks) for line in (row(10 * n + 10), *more)]
    found = read("\n".join(lines) + "\n")
    found.look.facts[Curve] = next(m for m in curve.PROBE.run(found.look) if isinstance(m, Curve))
    return found.ask(probe.PROBE)  # type: ignore[no-any-return]


NODE = {r: 6600.0 + r for r in range(8, 16)}
NODE_OF_24 = dict.fromkeys(range(8, 12), 6600.0)


@pytest.mark.parametrize(
    ("blocks", "outcome"),
    [
        ([block({5: 6600})] * 12, "one-rank-slower"),
        ([block(NODE_OF_24)] * 12, "neighbours-slower"),
        ([block({})] * 8 + [block({5: 6600})] * 10, "one-rank-slower"),  # since then
        ([block({n: 6600}) for n in range(12)], "one-node-slower"),  # another each time
        ([both(3900, 6600)] * 12, "one-node-slower"),
        ([block({})] * 12, "none"),
        ([both(3900, 3990)] * 12, "none"),
        ([block({5: 6600})] * 4 + [block({})] * 8, "none"),  # at the start alone
        ([block({5: 6600}, name="forward-compute")] * 12, None),
        ([both(3900, 6600)] * 3, None),
    ],
)
def test_the_slowest_ranks(read: Any, blocks: list[list[str]], outcome: str | None) -> None:
    found = ask(read, blocks)
    told = found.get("slow-scope")
    assert (told.outcome if told else None) == outcome
    assert ("training-slow" in found) == (outcome not in (None, "none"))


def test_which_ranks(read: Any) -> None:
    value = ask(read, [block(NODE_OF_24)] * 12)["slow-scope"].value
    assert value["ranks"].en == "ranks 8 to 11"
    assert value["own"] == "6.6 s"


def deepspeed(reduce: float, step: int) -> list[str]:
    parts = (
        f"fwd: 120.10 | bwd: {300 + reduce:.2f} | bwd_inner: 299.10 | bwd_allreduce: {reduce:.2f}"
    )
    rank = "[2026-04-21 02:45:24,652] [INFO] [logging.py:96:log_dist] [Rank 0]"
    return [
        f"{rank} step={step}, skipped=0, lr=[3e-05], mom=[(0.9, 0.95)]",
        f"{rank} time (ms) | {parts} | step: 31.20",
    ]


@pytest.mark.parametrize(("reduce", "fires"), [(2400.0, True), (100.0, False)])
def test_the_exchange_that_deepspeed_times(read: Any, reduce: float, fires: bool) -> None:
    found = ask(read, [deepspeed(reduce, n) for n in range(1, 13)], throughput)
    told = found.get("step-bound")
    assert (told is not None and told.outcome == "communication-bound") == fires


@pytest.mark.parametrize(("percent", "outcome"), [(66.7, "loader-bound"), (0.4, "compute-bound")])
def test_lightnings_profiler(read: Any, percent: float, outcome: str) -> None:
    table = [
        "|  run_training_epoch                            |  90.1    |  1     |  90.1   |  90.0    |",
        f"|  [_TrainingEpochLoop].train_dataloader_next  |  0.8  |  100  |  80.0  |  {percent}  |",
    ]
    found = ask(read, [[]] * 11 + [table], throughput)
    assert found["step-bound"].outcome == outcome
