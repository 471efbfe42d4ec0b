"""Runs that start from a checkpoint, or mean to: what was before, and how they go on."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from medic.probes.checkpoint import loaded_keys
from medic.probes.curve import curve, loss, resume, resume_point

from medic.facts import Curve, LogHits, SkippedKeys
from medic.run_config import Origin, RunConfig, Value

Rates = Callable[[int], float]


def falling(step: int) -> float:
    """The loss of a run from scratch, with the small noise of its batches."""
    return 2.0 + 9.5 * math.exp(-step / 400) + 0.01 * math.sin(step * 7.3)


def constant(step: int) -> float:
    return 3e-4


def decay(step: int) -> float:
    return 3e-4 * (1 - step / 6000)


def rows(
    steps: Sequence[int], level: Callable[[int], float] = falling, rate: Rates = decay
) -> list[str]:
    return [f"step: {s} loss: {level(s):.4f} lr: {rate(s):.4e} grad_norm: 0.51" for s in steps]


def told(read: Any, files: dict[str, list[str]] | list[str], **more: Any) -> dict[str, Any]:
    """What curve-resume-point finds; of the log train.log, or of these files."""
    files = {"train.log": files} if isinstance(files, list) else files
    found = read({name: "\n".join(lines) + "\n" for name, lines in files.items()}, **more)
    made = [m for m in curve.PROBE.run(found.look) if isinstance(m, Curve)]
    found.look.facts.update({Curve: made[0]} if made else {})
    seen: dict[str, Any] = found.ask(resume_point.PROBE)
    return {name: f.outcome for name, f in seen.items() if f.outcome not in ("none", "absent")}


BEFORE = range(10, 2010, 10)
LATER = range(2010, 2410, 10)
RESUMES = [
    "Resuming training from out/checkpoint-2000",
    "  Continuing training from checkpoint, will skip to saved global_step",
    " successfully loaded checkpoint from /job/ckpt [ t 1/1, p 1/1 ] at iteration 2000",
    "Restoring states from the checkpoint path at /job/ckpt/last.ckpt",
    "[titan] 2026-03-11 02:00:40,000 - root - INFO - Loading the checkpoint at step 2000.",
    "[INFO] Resumed from checkpoint: /job/out/step_2000",
    "从检查点 /job/out/step_2000 恢复训练",
]


def bump(step: int) -> float:
    """Back within some hundred steps: the optimizer had lost its moments."""
    return falling(step) + 0.6 * math.exp(-(step - 2010) / 100)


def warm(step: int) -> float:
    return min(3e-4, 3e-6 * (step - 2000)) if step > 2000 else decay(step)


@pytest.mark.parametrize("line", RESUMES)
def test_a_loss_that_jumps_at_the_start(read: Any, line: str) -> None:
    lines = [*rows(BEFORE), line, *rows(LATER, bump, warm)]
    found = told(read, lines)
    assert found["resume-difference"] in ("higher-then-recovers", "rate-restarts")
    assert "resume-jumps" in found
    assert "learning-rate-not-as-set" in found
    assert found["rate-after-resume"] == "lower-and-loss-jumps"
    assert told(read, [*rows(BEFORE), line, *rows(LATER)]) == {}


@pytest.mark.parametrize(
    "line",
    [
        "Saved checkpoint to out/checkpoint-2000",
        "--resume-from out/checkpoint-2000",
        "resume_from_checkpoint: out/checkpoint-2000",
        "Loading checkpoint shards: 100%|##########| 4/4",
        "Resuming download from byte 2000 at huggingface.co",
        "Resuming training from checkpoint: None",
    ],
)
def test_lines_that_are_no_start(read: Any, line: str) -> None:
    assert told(read, [*rows(BEFORE), line, *rows(LATER, bump)]) == {}


def test_a_loss_of_weights_that_were_not_loaded(read: Any) -> None:
    again = rows(LATER, lambda s: falling(s - 2000))
    found = told(read, [*rows(BEFORE), RESUMES[0], *again])
    assert found["resume-difference"] == "back-to-initial"


@pytest.mark.parametrize(
    ("lost", "outcome"), [(0.9, "back-to-initial"), (0.5, "higher-then-recovers")]
)
def test_a_loss_that_has_little_to_fall(read: Any, lost: float, outcome: str) -> None:
    """Of few tokens: a guess is a fifth above what is learned."""

    def low(step: int) -> float:
        return 5.0 + math.exp(-step / 600)

    def high(step: int) -> float:
        return 5.0 + lost * math.exp(-(step - 2000) / 600)

    found = told(read, [*rows(BEFORE, low), RESUMES[0], *rows(LATER, high)])
    assert found["resume-difference"] == outcome


def test_a_new_stage_from_the_weights_of_the_last_one(read: Any) -> None:
    stage = rows(range(10, 410, 10), lambda s: 3.1 + math.exp(-s / 200), constant)
    line = "Loaded checkpoint from /job/stage1/step_2000"
    assert told(read, [*rows(BEFORE), line, *stage]) == {}


def test_a_start_in_the_warmup(read: Any) -> None:
    def rising(step: int) -> float:
        return step * 1e-7

    lines = [*rows(BEFORE, rate=rising), RESUMES[0], *rows(LATER, rate=rising)]
    assert told(read, lines) == {}


def test_a_warmup_after_the_start_with_a_loss_that_goes_on(read: Any) -> None:
    assert told(read, [*rows(BEFORE), RESUMES[0], *rows(LATER, rate=warm)]) == {}


def test_a_jump_at_the_start_is_no_spike(read: Any) -> None:
    def spikes(line: str) -> bool:
        log = [*rows(BEFORE), line, *rows(LATER, lambda s: bump(s) + 0.6)]
        found = read("\n".join(log) + "\n")
        found.look.facts[Curve] = next(
            m for m in curve.PROBE.run(found.look) if isinstance(m, Curve)
        )
        seen = found.ask(loss.PROBE)
        return any(
            seen[n].outcome == "present" for n in ("loss-spike", "loss-diverges") if n in seen
        )

    assert spikes("evaluating")
    assert not spikes(RESUMES[0])


# --- no checkpoint was found ------------------------------------------------------------------

FOUND_NONE = [
    "    will not load any checkpoints and will start from random",
    "[NeMo W 2026-06-01 20:30:11 nemo_logging:405] There were no checkpoints found in checkpoint_dir or "
    "no checkpoint folder at checkpoint_dir :/r/checkpoints. Training from scratch.",
    "no checkpoint found, starting from scratch",
    "[WARNING] [engine.py:2755:load_checkpoint] Unable to find latest file at /job/ckpt/latest, if trying "
    "to load latest checkpoint please ensure this file exists",
    "Checkpoint '/job/out/step_2000' does not exist. Starting a new training run.",
    "未找到检查点，从头开始训练",
    "07/23/2026 08:00:10 [INFO|DP=0|PP=0|TP=0|node1]: No checkpoint path provided.",
    "07/22 13:00:00 - mmengine - INFO - Did not find last_checkpoint to be resumed.",
    "| INFO | fairseq.trainer | No existing checkpoint found checkpoints/checkpoint_last.pt",
]
FIRST = range(10, 410, 10)


@pytest.mark.parametrize("line", FOUND_NONE)
def test_a_run_that_begins_anew_in_its_log(read: Any, line: str) -> None:
    found = told(read, [*rows(BEFORE), line, *rows(FIRST)])
    assert found["resume-load"] == "nothing-found"
    assert found["resume-difference"] == "back-to-initial"
    assert told(read, [line, *rows(FIRST)]) == {}  # a first start
    assert told(read, [*rows(BEFORE), line, *rows(LATER)]) == {}


LIMIT = (
    "slurmstepd: error: *** JOB 101 ON n1 CANCELLED AT 2026-07-22T11:00:00 DUE TO TIME LIMIT ***"
)
OOM = [
    "Traceback (most recent call last):",
    '  File "train.py", line 9, in <module>',
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
]


@pytest.mark.parametrize(
    ("earlier", "fires"),
    [
        ([*rows(BEFORE), LIMIT], True),
        ([*rows(range(10, 210, 10)), "Saving model checkpoint to out/checkpoint-200", LIMIT], True),
        ([*rows(range(10, 60, 10)), *OOM], False),  # it failed before it had saved anything
        ([*rows(BEFORE), "Training finished."], False),  # another run, which was done
        ([*rows(BEFORE), "KeyboardInterrupt"], False),  # given up by hand
    ],
)
def test_a_run_that_begins_anew_in_a_log_of_its_own(
    read: Any, earlier: list[str], fires: bool
) -> None:
    files = {"slurm-101.out": earlier, "slurm-102.out": [FOUND_NONE[2], *rows(FIRST)]}
    assert (told(read, files).get("resume-load") == "nothing-found") == fires


SAVED = "Saving model checkpoint to /job/out/{}/checkpoint-2000"
NONE_IN = "no checkpoint found in /job/out/{}, starting from scratch"


@pytest.mark.parametrize(
    ("earlier", "now", "fires"),
    [
        (("slurm-101.out", "a"), ("slurm-102.out", "a"), True),
        (("slurm-101.out", "a"), ("slurm-102.out", "b"), False),  # the folders of two experiments
        (("train_20260721_0800.log", ""), ("train_20260722_0900.log", ""), True),
        (("logs/attempt_0/train.log", ""), ("logs/attempt_1/train.log", ""), True),
        (("qwen-7b.log", ""), ("llama-8b.log", ""), False),
        (("exp1/train.log", ""), ("exp2/train.log", ""), False),
        (("lr_3e-4.log", ""), ("lr_1e-4.log", ""), False),
    ],
)
def test_only_a_start_of_the_same_run_had_something_to_go_on_from(
    read: Any, earlier: tuple[str, str], now: tuple[str, str], fires: bool
) -> None:
    saved = [SAVED.format(earlier[1])] if earlier[1] else []
    none = NONE_IN.format(now[1]) if now[1] else FOUND_NONE[2]
    clock = [f"2026-07-21 08:00:{n:02} INFO {line}" for n, line in enumerate(saved or ["start"])]
    late = [f"2026-07-23 08:00:{n:02} INFO {line}" for n, line in enumerate([none])]
    files = {
        earlier[0]: [*rows(BEFORE), *clock, LIMIT],
        now[0]: [*late, *rows(FIRST)],
    }
    assert (told(read, files).get("resume-load") == "nothing-found") == fires


def test_a_log_in_two_parts(read: Any) -> None:
    files = {"slurm-101.out": [*rows(BEFORE), LIMIT], "slurm-102.out": [RESUMES[0], *rows(LATER)]}
    assert told(read, files) == {}


def test_a_file_of_metrics_that_ends_where_the_log_goes_on(read: Any) -> None:
    history = [{"step": s, "loss": falling(s), "learning_rate": decay(s)} for s in BEFORE]
    state = [json.dumps({"global_step": 2000, "max_steps": 6000, "log_history": history})]
    skipped = "[WARNING] Skipping loading of optimizer.pt/scheduler.pt: files not found in checkpoint-2000"
    log = [RESUMES[0], skipped, *rows(LATER, bump, warm)]
    found = told(read, {"train.log": log, "trainer_state.json": state})
    assert found["checkpoint-states"] == "state-absent"
    assert "resume-jumps" in found
    assert told(read, {"train.log": [RESUMES[0], *rows(LATER)], "trainer_state.json": state}) == {}


@pytest.mark.parametrize(
    ("line", "fires"),
    [
        ("WARNING: optimizer state not found in checkpoint, starting with a fresh one", True),
        ("not loading optimizer and scheduler states (--no-load-optim)", True),
        ("Could not load optimizer state: it has other parameter groups", True),
        ("optimizer states were re-initialized", True),
        ("优化器状态未加载", True),
        ("Loaded optimizer state from checkpoint", False),
        ("RNG state not found, set from the seed", False),
    ],
)
def test_what_was_left_out_of_the_checkpoint(read: Any, line: str, fires: bool) -> None:
    found = told(read, [*rows(BEFORE), RESUMES[0], line, *rows(LATER, bump, warm)])
    assert ("checkpoint-states" in found) == fires
    assert "checkpoint-states" not in told(read, [*rows(BEFORE), RESUMES[0], line, *rows(LATER)])


def test_metrics_that_begin_anew_beside_a_log_without_losses(read: Any) -> None:
    metrics = [
        json.dumps({"step": s, "loss": falling(s), "lr": 1e-4})
        for part in (BEFORE, FIRST)
        for s in part
    ]
    for line, fires in ((FOUND_NONE[2], True), ("epoch 1", False)):
        found = told(read, {"train.log": ["resume: auto", line], "metrics.jsonl": metrics})
        assert ("resume-load" in found) == fires


@pytest.mark.parametrize(("save", "fires"), [("/job/run_7", True), ("/job/run7/", False)])
def test_a_path_that_is_not_where_the_run_saves(read: Any, save: str, fires: bool) -> None:
    """A first start that loads from where it saves finds nothing, as it should."""
    log = [
        "WARNING: could not find the metadata file /job/run7/latest_checkpointed_iteration.txt",
        FOUND_NONE[0],
        *rows(FIRST),
    ]
    found = read("\n".join(log) + "\n")
    paths = {"resume_from": "/job/run7", "output_dir": save}
    found.look.facts[RunConfig] = RunConfig(
        {k: Value(v, Origin("given")) for k, v in paths.items()}
    )
    assert ("resume-load" in found.ask(resume_point.PROBE)) == fires


def test_logs_of_other_intervals_are_compared_by_their_steps(read: Any) -> None:
    """The second run of the same curve, logged ten times as often."""
    text = "\n".join([*rows(range(0, 2000, 100)), *rows(range(0, 800, 10))]) + "\n"
    found = read(text)
    assert isinstance(found[LogHits], LogHits)
    found.look.facts[Curve] = next(m for m in curve.PROBE.run(found.look) if isinstance(m, Curve))
    seen = found.ask(resume.PROBE)
    assert "resume-difference" not in seen or seen["resume-difference"].outcome == "none"


WANTED = "'model.layers.0.q.weight', 'model.layers.0.k.weight'"
PREFIXED = "'_orig_mod.model.layers.0.q.weight', '_orig_mod.model.layers.0.k.weight'"
LISTS = [
    f"Missing keys: [{WANTED}, ... 288 more]\nUnexpected keys: [{PREFIXED}, ... 288 more]",
    f"[INFO] loaded, missing_keys=[{WANTED}], unexpected_keys=[{PREFIXED}]",
    f"missing keys (2): [{PREFIXED.replace('_orig_mod', 'module')}]\nunexpected keys (2): [{WANTED}]",
    f"_IncompatibleKeys(missing_keys=[{WANTED}], unexpected_keys=[{PREFIXED}])",
]


def left_out(read: Any, lines: list[str]) -> str:
    found = read({"train.log": "\n".join(lines) + "\n"})
    if SkippedKeys not in found:
        return ""
    seen = found.ask(loaded_keys.PROBE).get("loaded-keys")
    return seen.outcome if seen else ""


@pytest.mark.parametrize("lists", LISTS)
def test_a_load_that_left_all_weights_out(read: Any, lists: str) -> None:
    """The lists alone tell of the start; the loss is the run's first one again."""
    lines = [*rows(BEFORE), *lists.split("\n"), *rows(LATER, lambda s: falling(s - 2000))]
    assert told(read, lines)["resume-difference"] == "back-to-initial"
    assert left_out(read, lines) == "wrapped-so-not-loaded"


@pytest.mark.parametrize("lists", LISTS)
def test_a_loss_that_goes_on_had_its_weights(read: Any, lists: str) -> None:
    lines = [*rows(BEFORE), *lists.split("\n"), *rows(LATER)]
    assert told(read, lines) == {}
    assert left_out(read, lines) == ""


def test_another_name_is_no_wrapper(read: Any) -> None:
    renamed = PREFIXED.replace("_orig_mod.model", "backbone")
    lists = [f"Missing keys: [{WANTED}]", f"Unexpected keys: [{renamed}]"]
    assert left_out(read, [*lists, *rows(LATER)]) == "renamed-so-not-loaded"
    assert left_out(read, ["Missing keys: ['rope.inv_freq']", *rows(LATER)]) == ""


NO_POSITION = "dataloader: no saved state, starting at shard 0 sample 0 (epoch 0)"


@pytest.mark.parametrize(
    ("line", "level", "fires"),
    [
        (NO_POSITION, lambda s: falling(s) - 0.3, True),
        (NO_POSITION, falling, True),
        ("sampler position not found in checkpoint", falling, True),
        ("数据从头开始读取", lambda s: falling(s) - 0.3, True),
        ("dataset starting from batch 0", lambda s: falling(s) - 0.3, True),
        ("dataset starting from batch 0", falling, False),  # the checkpoint of an epoch's end
        ("dataloader: no saved state, starting at batch 0 of epoch 3", falling, False),
        ("dataloader starting at shard 512 sample 81920", lambda s: falling(s) - 0.3, False),
    ],
)
def test_data_that_starts_again(read: Any, line: str, level: Any, fires: bool) -> None:
    found = told(read, [*rows(BEFORE), RESUMES[0], line, *rows(LATER, level)])
    assert (found.get("resume-difference") == "data-from-start") is fires
    assert told(read, [line, *rows(BEFORE)]) == {}  # a first start
