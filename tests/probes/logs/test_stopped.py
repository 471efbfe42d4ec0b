"""Runs that are gone without a reason in the log, times, bars, and errors without a header."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest
from medic.probes.logs import stopped
from medic.probes.logs.prefix import Prefixes

from medic.facts import LogHits, Source

STEPS = "".join(
    f"2026-01-01 10:00:{s:02},000 [rank0] INFO train: step {s}/50 | loss {9 - s / 10:.2f}\n"
    for s in range(1, 31)
)
NAME = stopped.NAME


@pytest.fixture
def shanghai(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("shanghai")
@pytest.mark.parametrize(
    ("line", "hours"),
    [
        ("2026-11-27 12:00:00,000 x", 8),
        ("2026-11-27T12:00:00.000Z x", 0),
        ("2026-11-27T12:00:00+0530 x", 5.5),
    ],
)
def test_times_are_of_the_written_zone_or_local(line: str, hours: float) -> None:
    assert Prefixes().read(line).time == 1795780800.0 - hours * 3600


def left(read: Any, text: str, hours: float = 0.0) -> Any:
    """The log as it lies there: written last so many hours after its last line."""
    seen = read(text)
    last = (seen[LogHits].last_time or 0.0) + hours * 3600
    os.utime(seen.look.root / "train.log", (last, last))
    return seen.ask(stopped.PROBE)


def test_a_run_that_stopped_short(read: Any) -> None:
    assert NAME in left(read, STEPS)
    assert NAME in left(read, STEPS, 14)  # the file's time is of another zone
    assert NAME not in left(read, STEPS.replace("/50", ""))
    assert NAME not in left(read, STEPS.replace("/50", "/30"))


def test_a_copy_does_not_tell_whether_its_run_is_alive(read: Any) -> None:
    assert NAME not in left(read, STEPS, 27)
    assert NAME in left(read, STEPS + "srun: error: n01: task 2: Exited with exit code 1\n", 27)


def test_an_interrupt_from_the_keyboard_is_no_failure(read: Any) -> None:
    raised = "torch.distributed.elastic.multiprocessing.api.SignalException: Process 9 got signal: "
    assert read(STEPS + raised + "2\nKeyboardInterrupt\n")[LogHits].ended == "unknown"
    assert read(STEPS + raised + "15\n")[LogHits].ended == "badly"


def test_a_run_whose_last_line_is_young_is_alive(read: Any) -> None:
    logs = read(STEPS)[LogHits]
    assert not stopped.stopped_short(logs, 50, logs.last_time + 30)
    assert stopped.stopped_short(logs, 50, logs.last_time + 61)


@pytest.mark.parametrize(
    "line",
    [
        "srun: error: n01: task 2: Exited with exit code 1",
        "  exitcode  : 1 (pid: 88213)",
    ],
)
def test_an_exit_alone_is_no_symptom_of_a_cause(read: Any, line: str) -> None:
    seen = read(STEPS + line + "\n")
    assert seen[LogHits].ended == "badly"
    assert not [h for h in seen[LogHits].hits if not h.benign]
    assert NAME in seen.ask(stopped.PROBE)


def test_a_line_that_says_why(read: Any) -> None:
    text = (
        STEPS + "[rank0]: torch.OutOfMemoryError: CUDA out of memory.\n  exitcode  : 1 (pid: 8)\n"
    )
    assert NAME not in read(text).ask(stopped.PROBE)


def test_an_error_without_a_header(read: Any) -> None:
    error = "ValueError: the mixing weights must sum to one.\n"
    frames = '  File "/job/a.py", line 3, in f\n    raise ValueError(x)\n'
    for text in (error, STEPS + error, STEPS + frames + error):
        assert "python-exception" in read(text).findings
    for text in (error + STEPS, f"INFO {error}", f"'{error}'", error + "words\n" * 40):
        assert "python-exception" not in read(text).findings


def test_each_state_of_a_bar_is_read(read: Any) -> None:
    bars = "".join(
        f"Epoch 0: {n}%|#  | {n}/100 [00:{n:02}<01:00,  1.0it/s, train_loss=2.{n}]\r"
        for n in range(11, 38)
    )
    steps = read(bars + "\n")[LogHits].steps
    assert [s.step for s in steps] == list(range(11, 38))
    assert "\r" not in steps[-1].source.text


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("steps: 100 loss: 2.1 iter time (s): 0.5 samples/sec: 12", 100),
        ("[150/400] train/loss=2.1", 150),
        ("[2/3] c++ -c step_loss.cc", None),
    ],
)
def test_steps_without_a_name(read: Any, line: str, step: int | None) -> None:
    assert read(line + "\n")[LogHits].last_step == step


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ("WARNING Received SIGTERM, exiting", "SIGTERM"),
        ("INFO got signal SIGUSR1, saving", "SIGUSR1"),
        ("INFO step 150 took 9.1 s", None),
    ],
)
def test_the_signal_that_the_last_line_tells(last: str, told: str | None) -> None:
    tail = (Source("train.log", 9, None, 0.0, last),)
    logs = LogHits(tail=tail, last_step=150)
    en = stopped._silence(logs, 1000).en
    assert en.startswith(f"the process got {told} at" if told else "the log stops at")
