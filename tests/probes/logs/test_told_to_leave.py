"""Settings that keep a resumed run from taking the states of its checkpoint, or its place in the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from medic.probes.curve import curve, resume_point, told_to_leave

from medic.facts import Curve
from medic.run_config import Origin, RunConfig, Setting, Value

LOADED = " successfully loaded checkpoint from /job/ckpt [ t 1/1, p 1/1 ] at iteration"


def row(step: int, loss: float, rate: float = 3e-4) -> str:
    noise = 0.002 * (step // 10 % 5)
    return f"step: {step} loss: {loss + noise:.4f} lr: {rate:.4e} grad_norm: 0.51"


def config(folder: str = "/job/ckpt", **settings: Any) -> RunConfig:
    origin = Origin("file")
    made = [Setting((name,), value, origin) for name, value in settings.items()]
    return RunConfig({"output_dir": Value(folder, origin)}, settings=tuple(made))


def _at(hour: int, lines: Sequence[str]) -> list[str]:
    return [f"2026-07-22 {hour:02d}:00:00 {line}" for line in lines]


def told(
    read: Any,
    lines: Sequence[str],
    config: RunConfig | None = None,
    earlier: Sequence[str] = (),
) -> dict[str, Any]:
    """What is found of the last log of a run, whose ``earlier`` one was cut off by a time limit."""
    ended = (
        "slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-07-22T11:00:00 DUE TO TIME LIMIT ***"
    )
    logs = {"slurm-1.out": [*_at(9, earlier), ended]} if earlier else {}
    texts = {
        name: "\n".join(text) + "\n"
        for name, text in {**logs, "slurm-2.out": _at(12, lines)}.items()
    }
    found = read(texts, facts=[config] if config else [])
    made = [m for m in curve.PROBE.run(found.look) if isinstance(m, Curve)]
    found.look.facts.update({Curve: made[0]} if made else {})
    seen = found.ask(resume_point.PROBE)
    return {name: f for name, f in seen.items() if f.outcome not in ("none", "absent")}


BEFORE = [row(s, 2.0) for s in range(10, 1210, 10)]
BUMP = [row(s, 2.4) for s in range(1210, 1410, 10)]
GOES_ON = [row(s, 2.0) for s in range(1210, 1910, 10)]
LOWER = [row(s, 1.9) for s in range(1210, 1910, 10)]


@pytest.mark.parametrize("setting", [{"no_load_optim": True}, {"resume_only_model": "true"}])
def test_a_setting_leaves_the_optimizer_out(read: Any, setting: dict[str, Any]) -> None:
    lines = [*BEFORE, f"{LOADED} 1200"]
    found = told(read, [*lines, *BUMP], config(**setting))
    assert found["checkpoint-states"].outcome == "state-absent"
    assert "optimizer" in found["checkpoint-states"].value["absent"]
    assert told(read, [*lines, *GOES_ON], config(**setting)) == {}
    assert "checkpoint-states" not in told(read, [*lines, *BUMP], config(no_load_optim=False))


def test_the_printed_argument_tells_it(read: Any) -> None:
    printed = "no_load_optim ................................... {}"
    for value, fires in ((True, True), (None, False)):
        lines = [*BEFORE, printed.format(value), f"{LOADED} 1200", *BUMP]
        assert ("checkpoint-states" in told(read, lines)) == fires


def test_a_run_that_loads_its_own_weights_and_begins_anew(read: Any) -> None:
    before = [row(s, 2.0, min(s * 1e-6, 3e-4) if s < 900 else 2.9e-4) for s in range(10, 1210, 10)]
    anew = [row(s, 2.001, s * 1e-6) for s in range(10, 310, 10)]
    found = told(read, [f"{LOADED} 0", *anew], config(finetune=True), before)
    assert found["rate-after-resume"].outcome == "as-at-the-start"
    assert found["checkpoint-states"].value["absent"] == ("optimizer", "scheduler", "step")
    assert "learning-rate-not-as-set" in found
    # A new stage, which saves into a folder of its own.
    assert told(read, [f"{LOADED} 0", *anew], config("/job/stage2", finetune=True), before) == {}


def test_data_that_is_not_skipped(read: Any) -> None:
    lines = [*BEFORE, "  Continuing training from global step 1200"]
    skips = config(ignore_data_skip=True)
    found = told(read, [*lines, *LOWER], skips)
    assert found["resume-difference"].outcome == "data-from-start"
    assert "resume-jumps" in found
    found = told(read, [*lines, *GOES_ON], skips)
    assert [f.outcome for f in found.values()] == ["data-not-skipped"]
    assert told(read, [*lines, *LOWER], config(ignore_data_skip="false")) == {}


def test_a_loss_that_was_falling_anyway(read: Any) -> None:
    falling = [row(s, 4.0 - s * 1e-3) for s in range(10, 1210, 10)]
    after = [row(s, 4.0 - s * 1e-3) for s in range(1210, 1910, 10)]
    lines = [*falling, "  Continuing training from global step 1200", *after]
    found = told(read, lines, config(ignore_data_skip=True))
    assert "resume-jumps" not in found


def test_whose_checkpoint_it_is() -> None:
    own = config("/job/ckpt/")
    assert told_to_leave.is_own(own, f"{LOADED} 0")
    assert told_to_leave.is_own(own, "Loading model from /job/ckpt/checkpoint-100.")
    assert not told_to_leave.is_own(own, "loaded checkpoint from /job/ckpt2 at iteration 0")
    assert not told_to_leave.is_own(RunConfig(), f"{LOADED} 0")
