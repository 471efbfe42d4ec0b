"""Starts of a resumed run against the start before it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from medic.probes.config import resumed_start

from medic.probe import Finding

Look = Callable[..., Any]


def start(
    load: str = "/job/ckpt", loaded: int = 0, first: int = 1, batch: int = 256, **more: Any
) -> str:
    """What Megatron prints from its arguments to its first iteration."""
    values = {
        "global_batch_size": batch, "load": load, "lr": 0.0003, "micro_batch_size": 4,
        "rampup_batch_size": None, "save": "/job/ckpt", "seed": 1234, "world_size": 64, **more,
    }  # fmt: skip
    consumed = values.pop("consumed", batch * first)
    taken = values.pop("taken", "")
    lines = ["------------------------ arguments ------------------------"]
    lines += [f"  {name} {'.' * (46 - len(name))} {value}" for name, value in values.items()]
    lines += ["-------------------- end of arguments ---------------------"]
    if loaded:
        lines += [f" loading checkpoint from {load} at iteration {loaded}"]
        lines += [f" > using checkpoint value {taken} for learning rate"] if taken else []
        lines += [
            f"  successfully loaded checkpoint from {load} [ t 1/2, p 1/1 ] at iteration {loaded}"
        ]
    lines += [
        f" [2026-05-03 10:00:00] iteration {first:8d}/  100000 | consumed samples: {consumed:12d} | "
        "elapsed time per iteration (ms): 3110.2 | learning rate: 2.1E-04 | "
        f"global batch size: {batch:5d} | lm loss: 2.31E+00 | loss scale: 1.0 | grad norm: 0.8 |"
    ]
    return "\n".join(lines) + "\n"


def told(look: Any) -> dict[str, Any]:
    return {f.outcome: f.value for f in resumed_start.run(look) if isinstance(f, Finding)}


@pytest.mark.parametrize("apart", [False, True])
def test_another_batch_and_seed(look: Look, apart: bool) -> None:
    first, second = start(), start(loaded=5000, first=5010, batch=512, seed=42, consumed=1285120)
    logs = {"a.log": first, "b.log": second} if apart else {"a.log": first + second}
    assert told(look(logs)) == {
        "setup-changed": {"changed": "global_batch_size 256 -> 512, seed 1234 -> 42"}
    }


def test_a_start_that_goes_on_as_before(look: Look) -> None:
    assert told(look({"a.log": start() + start(loaded=5000, first=5010, consumed=1282560)})) == {}


def test_runs_that_save_elsewhere_are_no_resume_of_each_other(look: Look) -> None:
    other = start(
        loaded=5000, first=5010, batch=512, consumed=512 * 5010, load="/job/other", save="/job/b"
    )
    assert told(look({"a.log": start() + other})) == {}


def test_the_samples_consumed_tell_the_batch_before(look: Look) -> None:
    alone = start(loaded=5000, first=5010, batch=512, consumed=256 * 5000 + 512 * 10)
    assert told(look({"a.log": alone})) == {
        "setup-changed": {"changed": "global_batch_size 256 -> 512"}
    }
    ramped = start(loaded=5000, first=5010, batch=512, consumed=256 * 5000 + 77 + 512 * 10)
    assert told(look({"a.log": ramped})) == {}


def test_a_rate_that_the_checkpoint_overrules(look: Look) -> None:
    text = start(loaded=5000, first=5010, consumed=256 * 5010, taken="0.00015")
    assert told(look({"a.log": text})) == {
        "checkpoint-overrules": {"name": "lr", "given": 0.0003, "saved": "0.00015"},
        "present": {"name": "lr", "given": 0.0003, "saved": "0.00015"},
    }
    same = start(loaded=5000, first=5010, consumed=256 * 5010, taken="0.0003")
    assert told(look({"a.log": same})) == {}


@pytest.mark.parametrize(("printed", "changed"), [(4, True), (8, False)])
def test_the_saved_state_of_hugging_face(look: Look, printed: int, changed: bool) -> None:
    state = {"global_step": 500, "train_batch_size": 8, "log_history": []}
    log = (
        "***** Running training *****\n  Num examples = 51,200\n"
        f"  Instantaneous batch size per device = {printed}\n"
        "  Continuing training from checkpoint, will skip to saved global_step\n"
        "  Continuing training from global step 500\n"
    )
    found = told(look({"checkpoint-500/trainer_state.json": json.dumps(state), "train.log": log}))
    expected = {"setup-changed": {"changed": "per_device_train_batch_size 8 -> 4"}}
    assert found == (expected if changed else {})


def test_only_a_log_of_a_resumed_run_is_read_line_by_line(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = look({"a.log": start() + start(first=1)})
    monkeypatch.setattr(quiet, "lines", None)
    assert told(quiet) == {}


BATCH = (
    "[INFO|trainer.py:2412]   Total train batch size (w. parallel, distributed & accumulation) = {}"
)
GOES_ON = "[INFO|trainer.py:2422] >>   Continuing training from global step 4000"


@pytest.mark.parametrize("apart", [False, True])
def test_the_batch_that_the_trainer_prints_at_each_start(look: Look, apart: bool) -> None:
    def logs(batch: int, goes_on: str = GOES_ON) -> Any:
        first, second = BATCH.format(128) + "\n", f"{BATCH.format(batch)}\n{goes_on}\n"
        return look({"a.log": first, "b.log": second} if apart else {"a.log": first + second})

    assert told(logs(64)) == {"setup-changed": {"changed": "global_batch_size 128 -> 64"}}
    assert told(logs(128)) == {}
    assert told(logs(64, "")) == {}  # another run
