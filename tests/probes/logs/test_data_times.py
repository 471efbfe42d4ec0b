"""What the loader took of a step, as the frameworks log it beside the step or below it."""

from __future__ import annotations

import pytest
from medic.probes.logs.metric_names import canonical
from medic.probes.logs.steps import Steps

MEGATRON = " iteration 20/ 2000 | elapsed time per iteration (ms): 2051.2 | lm loss: 2.1E+00 |"


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Iter(train) [20/2000]  lr: 3.0e-04  time: 2.0500  data_time: 1.6200  loss: 2.1", (2.05, 1.62)),
        ("步骤 20/2000 loss 2.1 数据耗时 1.62s 单步耗时 2.05s", (2.05, 1.62)),
        ("step 20 loss 2.1 time: 1.2 data_time: 4.5", (None, 4.5)),  # of another clock
    ],
)  # fmt: skip
def test_times_of_a_step_line(line: str, seconds: tuple[float | None, float]) -> None:
    step = Steps().read(line)
    assert step is not None
    assert (step.values.get("step_time"), step.values.get("data_time")) == seconds


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("    batch-generator ...............................: (1602.20, 1633.10)", 1.6331),
        (" time (ms) | forward: 130.10 | batch-generator: 1621.22", 1.62122),
        ("    batch-generator: reads from /data/a1", None),
    ],
)
def test_megatrons_timers_below_a_step(line: str, seconds: float | None) -> None:
    steps = Steps()
    assert steps.read(line) is None  # of no step
    steps.read(MEGATRON)
    below = steps.read(line)
    assert (below.values if below else None) == (
        None if seconds is None else {"data_time": seconds}
    )
    assert below is None or below.number == 20


def test_a_loaders_time_in_a_metrics_file() -> None:
    assert canonical("time/data_loading") == ("data_time", 1.0)
    assert canonical("time/step") == ("step_time", 1.0)
