"""A resumed run that had nothing left to train, and those that had."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import resumed_end

from medic.run_config import Origin, RunConfig, Value

BEFORE = "step 55/60 | loss 3.1\nstep 60/60 | loss 3.0\nsaved checkpoint out/checkpoint-60\n"
END = "training finished after 60 steps in 8.7 s\n"


@pytest.mark.parametrize(
    "text",
    [
        BEFORE + END + "resuming from out/checkpoint-60/state.pt\n" + END,
        "  Continuing training from global step 60\n{'train_runtime': 0.02, 'train_loss': 0.0}\n",
        "resumed from /ckpt/iter_0000060\ntraining begins at step 60 of 60\ndone\n",
        "从 out/checkpoint-60 恢复训练\n训练完成\n",
    ],
)
def test_nothing_was_left(read: Any, text: str) -> None:
    found = read(text).ask(resumed_end.PROBE)
    assert found["resume-difference"].outcome == "ends-at-once"
    assert found["resume-trains-nothing"].value["step"] == 60


@pytest.mark.parametrize(("planned", "told"), [(60, True), (80, False), (None, False)])
def test_the_plan_has_no_step_left(read: Any, planned: int | None, told: bool) -> None:
    found = read("resumed from /ckpt/iter_0000060\ntraining begins at step 60\ndone\n")
    if planned:
        found.look.facts[RunConfig] = RunConfig({"total_steps": Value(planned, Origin("file"))})
    assert ("steps-left" in found.ask(resumed_end.PROBE)) is told


@pytest.mark.parametrize(
    "text",
    [
        BEFORE + END,
        "resuming from out/checkpoint-30/state.pt\nstep 35/60 | loss 3.5\n" + END,
        # It logs every 100 steps; where it began is not told.
        "resuming from the last checkpoint\n" + END,
        "resuming from out/checkpoint-60/state.pt\n",
        BEFORE + "resuming from out/checkpoint-30/state.pt\n" + END,
    ],
)
def test_something_was_trained_or_nothing_is_told(read: Any, text: str) -> None:
    assert not read(text).ask(resumed_end.PROBE)
