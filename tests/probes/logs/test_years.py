"""Stamps without a year, in files that were copied in another one."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from medic.case.collect import collect
from medic.facts import LogHits, Tracebacks
from medic.index.knowledge import load
from medic.session.consultation import Session

INDEX = load()
STEPS = "".join(
    f"[2025-03-02 0{1 + n // 60}:{n % 60:02d}:21] iteration {n + 1}/ 60000 | lm loss: {3 - n / 200:.3f} |\n"
    for n in range(150)
)
BARE = (
    "W0302 00:58:11.002000 90122 torch/distributed/run.py:792] Setting OMP_NUM_THREADS to be 1\n"
    "[rank0]:[W302 01:00:31.112 ProcessGroupNCCL.cpp:4115] using GPU 0 to perform barrier\n"
)
ENDS = "W0302 03:40:22.512000 140233 torch/distributed/elastic/api.py:897] Sending process 1 closing signal SIGTERM\n"
RAISED = (
    "W0302 00:58:11.002000 90122 torch/distributed/run.py:792] Setting OMP_NUM_THREADS to be 1\n"
    "[rank1]: Traceback (most recent call last):\n"
    '[rank1]:   File "/w/train.py", line 7, in main\n'
    "[rank1]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
)


def look(folder: Path, files: dict[str, str], written: str = "2026-11-30") -> Session:
    for name, text in files.items():
        (folder / name).write_text(text)
        at = time.mktime(time.strptime(written, "%Y-%m-%d"))
        os.utime(folder / name, (at, at))
    session = Session(INDEX, collect([str(folder)]))
    session.look()
    return session


def year(seconds: Any) -> int:
    return time.localtime(seconds).tm_year


def test_the_year_is_the_one_that_another_log_prints(tmp_path: Path) -> None:
    session = look(tmp_path, {"node0.log": BARE, "node1.log": STEPS})
    assert year(session.evidence.fact(LogHits).last_time) == 2025
    assert "training-hangs" not in session.observed_symptoms()


def test_the_year_may_stand_far_below(tmp_path: Path) -> None:
    session = look(tmp_path, {"train.log": "".join([BARE] * 200) + STEPS})
    logs = session.evidence.fact(LogHits)
    assert year(logs.steps[0].source.time) == year(logs.last_time) == 2025
    assert "training-hangs" not in session.observed_symptoms()


def test_a_december_before_a_january_that_is_told(tmp_path: Path) -> None:
    old = "W1231 23:58:11.002000 90122 torch/distributed/run.py:792] Setting OMP\n"
    session = look(tmp_path, {"a.log": STEPS.replace("03-02", "01-01"), "b.log": old})
    logs = session.evidence.fact(LogHits)
    assert year(logs.last_time) == 2025
    assert min(year(s.source.time) for s in logs.steps) == 2025


def test_a_node_that_failed_in_the_same_minute_is_of_no_earlier_run(tmp_path: Path) -> None:
    waited = (
        "[rank0]:[E0302 03:40:22.120 ProcessGroupNCCL.cpp:632] [Rank 0] Watchdog caught collective "
        "operation timeout: WorkNCCL(SeqNum=98, OpType=_ALLGATHER_BASE, NumelIn=10, NumelOut=40, "
        "Timeout(ms)=600000) ran for 600090 milliseconds before timing out.\n"
    )
    other = waited.replace("ank0", "ank1").replace("Rank 0", "Rank 1")
    session = look(tmp_path, {"node0.log": STEPS + waited, "node1.log": RAISED + other})
    assert session.evidence.fact(LogHits).attempts == 1
    assert session.evidence.fact(LogHits).steps


def test_a_file_that_was_not_copied_tells_its_own_year(tmp_path: Path) -> None:
    (tmp_path / "old.log").write_text(STEPS)
    session = look(tmp_path, {"late.log": BARE}, written="2026-03-02")
    assert year(session.evidence.fact(LogHits).last_time) == 2026


def test_between_times_that_are_far_apart_the_time_is_not_known(tmp_path: Path) -> None:
    session = look(tmp_path, {"node1.log": RAISED + ENDS})
    assert session.evidence.fact(Tracebacks).all[0].source.time is None
    hits = session.evidence.fact(LogHits).hits
    assert next(h for h in hits if "ECC" in h.source.text).source.time is None


def test_between_times_that_are_near_it_is_that_above(tmp_path: Path) -> None:
    session = look(tmp_path, {"node1.log": RAISED + ENDS.replace("03:40", "01:02")})
    assert session.evidence.fact(Tracebacks).all[0].source.time is not None
