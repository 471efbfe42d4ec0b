"""The log of a run as a whole: its ending, attempts, ranks, files."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from medic.probes.logs import windows

from medic.facts import GivenFile, LogHits, Ranks, StateDictError
from medic.match.reader import Reading, blocks

STEPS = "".join(
    f"2026-01-01 10:00:{s:02},000 [rank0] INFO train: step {s}/50 | loss {9 - s / 10:.2f}\n"
    for s in range(1, 31)
)
OOM = (
    "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a "
    "total capacity of 79.10 GiB of which 1.01 GiB is free.\n"
)
REPORT = """E0101 10:01:00.000000 652 torch/distributed/elastic/multiprocessing/api.py:986] failed (exitcode: -9) local_rank: 1 (pid: 3) of binary: /bin/python
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-01-01_10:01:00
  host      : node7
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 2)
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-01-01_10:01:00
  host      : node7
  rank      : 1 (local_rank: 1)
  exitcode  : -9 (pid: 3)
============================================================
"""
# What a rank logs when another one is gone.
BROKEN_PIPE = (
    "[rank1]:[W101 10:01:02.296 TCPStore.cpp:106] [c10d] sendBytes failed on SocketImpl(fd=97, "
    "addr=[n1]:50828, remote=[n1]:45903): Broken pipe\n"
)


@pytest.mark.parametrize(
    ("tail", "ended"),
    [
        ("2026-01-01 10:01:00,000 [rank0] INFO train: done\n", "well"),
        ("Training completed in 12 s\n", "well"),
        ("{'train_runtime': '2.21', 'train_loss': '5.572', 'epoch': '0.24'}\n", "well"),
        ("[exiting program at iteration 30] datetime: 2026\n", "well"),
        ("2026-01-01 10:00:50,000 step 50/50 | loss 1.0\n", "well"),
        ("`Trainer.fit` stopped: `max_steps=30` reached.\n", "well"),
        ("训练完成\n", "well"),
        ("Training completed\n" + BROKEN_PIPE, "well"),
        ("2026-01-01 10:00:50,000 step 50/50 | loss 1.0\n" + BROKEN_PIPE, "well"),
        (BROKEN_PIPE, "badly"),
        ("saving checkpoint ... done\n", "silent"),
        ("training is not done yet\n", "silent"),
        ("", "silent"),
        (OOM, "badly"),
        ("slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-01-01T10:01:00 DUE TO TIME LIMIT ***\n", "badly"),
        (REPORT, "badly"),
        ("srun: error: n1: task 0: Exited with exit code 1\n", "badly"),
        ("Segmentation fault (core dumped)\n", "badly"),
        ("2026-01-01 10:01:00,000 [rank0] INFO train: done\n" + REPORT, "badly"),
    ],
)  # fmt: skip
def test_endings(read: Any, tail: str, ended: str) -> None:
    assert read(STEPS + tail)[LogHits].ended == ended


def test_a_launch_after_the_end_is_another_attempt(read: Any) -> None:
    banner = "W0101 11:00:00.0 1 run.py:7] Setting OMP_NUM_THREADS environment variable for each process\n"
    seen = read(banner + STEPS + OOM + banner + "2026-01-01 11:00:10,000 step 1/50 | loss 9\n")
    logs = seen[LogHits]
    assert logs.attempts == 2
    assert logs.last_step == 1
    assert not [h for h in logs.hits if h.role == "root"]


def test_steps_that_begin_again_after_a_failure(read: Any) -> None:
    logs = read(STEPS + OOM + "[rank0] step 11/50 | loss 8.0\n[rank0] step 12/50 | loss 7.9\n")[
        LogHits
    ]
    assert logs.attempts == 2
    assert [s.step for s in logs.steps] == [11, 12]


def test_steps_of_each_epoch_are_one_attempt(read: Any) -> None:
    epochs = "".join(f"epoch {e} step {s} loss 2.{s}\n" for e in range(3) for s in range(1, 9))
    assert read(epochs)[LogHits].attempts == 1


def test_the_last_folder_of_restarts_counts(read: Any) -> None:
    logs = read({"none_1/attempt_0/0/stderr.log": OOM, "none_1/attempt_1/0/stderr.log": STEPS})[
        LogHits
    ]
    assert logs.attempts == 2
    assert logs.ranks == (0,)
    assert not logs.hits


def test_a_line_in_two_files_counts_once(read: Any) -> None:
    both = STEPS + OOM
    tee = "".join(f"[default0]:{line}\n" for line in both.splitlines())
    logs = read({"train.log": tee, "logs/rank0.stderr.log": both})[LogHits]
    assert len(logs.steps) == 30
    assert len([h for h in logs.hits if h.signature == "torch-oom-2.1"]) == 1


def test_the_rank_that_the_launcher_saw_first(read: Any) -> None:
    ranks = read(STEPS + REPORT)[Ranks]
    assert (ranks.first.rank, ranks.first.reason) == (1, "exit code -9 (SIGKILL)")
    assert [(r.rank, r.reason) for r in ranks.others] == [(0, "exit code -15 (SIGTERM)")]
    assert ranks.seen == (0, 1)


def test_a_rank_s_own_words_outweigh_the_launcher(read: Any) -> None:
    ranks = read(STEPS + OOM + REPORT)[Ranks]
    assert (ranks.first.rank, ranks.first.reason) == (0, "cuda-out-of-memory")


def test_order_by_time_across_files(read: Any) -> None:
    early = "2026-01-01 10:00:00,000 INFO x\nRuntimeError: Address already in use\n"
    late = "2026-01-01 10:00:09,000 INFO x\ntorch.OutOfMemoryError: CUDA out of memory.\n"
    logs = read({"a/rank0.log": late, "b/rank1.log": early})[LogHits]
    roots = [h for h in logs.hits if h.role == "root"]
    assert [h.source.rank for h in roots] == [1, 0]


def test_the_host_is_told(read: Any) -> None:
    assert read(STEPS + REPORT)[LogHits].host == "node7"


def test_a_bar_tells_how_far_a_run_came(read: Any) -> None:
    bars = "".join(f" {n}%|#  | {n}/100 [00:{n:02}<01:00,  1.0it/s]\r" for n in range(1, 38))
    logs = read(bars + "\n" + OOM)[LogHits]
    assert (logs.last_step, logs.planned_steps) == (37, 100)


def test_text_says_that_nothing_moves(read: Any) -> None:
    text = STEPS + "2026-01-01 10:30:00,000 ERROR watchdog: no training progress for 1800 s\n"
    assert "training-hangs" in read(text).findings
    assert not read(STEPS).findings


def test_no_log_is_a_gap(read: Any) -> None:
    seen = read({"config.yaml": "lr: 1\n"})
    assert LogHits not in seen
    assert seen.skips


def test_a_binary_log_is_told_and_the_others_are_read(read: Any) -> None:
    seen = read({"a.log": bytes(range(256)) * 50, "b.log": STEPS})
    assert seen[LogHits].last_step == 30


def test_compressed_logs_are_read(read: Any) -> None:
    assert read({"train.log.gz": gzip.compress((STEPS + OOM).encode())})[LogHits].ended == "badly"


def test_lists_of_a_failed_load(read: Any) -> None:
    text = (
        "[rank0]: RuntimeError: Error(s) in loading state_dict for GPT:\n"
        '[rank0]: \tMissing key(s) in state_dict: "a.weight", "b.bias". \n'
        '[rank0]: \tUnexpected key(s) in state_dict: "module.a.weight", "module.b.bi\n'
        "[rank0]: \tsize mismatch for c.weight: copying a param with shape torch.Size([512, 64]) "
        "from checkpoint, the shape in current model is torch.Size([640, 64]).\n"
    )
    error = read(text + text.replace("rank0", "rank1"))[StateDictError]
    assert error.missing == ("a.weight", "b.bias")
    assert error.unexpected == ("module.a.weight",)
    assert error.mismatched == (("c.weight", (512, 64), (640, 64)),)
    assert error.truncated


# --- large files ----------------------------------------------------------------------------


class Files:
    def __init__(self, path: Any) -> None:
        self.path = path

    def open(self, path: str, limit: int = 0) -> Any:
        return self.path.open("rb")

    def lines(self, path: str) -> Any:
        return iter(enumerate(self.path.read_text().split("\n"), 1))


def rows_of(
    path: Any, near: list[int], starts: Any = (), *, stream: bool = False
) -> list[tuple[int, str] | None]:
    given = GivenFile(str(path), path.name, "log", path.stat().st_size)
    if stream:
        return list(windows._stream(Files(path).lines(""), near))
    return list(windows.read(Files(path), given, near, starts))


@pytest.mark.parametrize("stream", [False, True])
def test_windows_of_a_large_log(tmp_path: Any, stream: bool) -> None:
    path = tmp_path / "big.log"
    lines = [f"line {n} " + "x" * (n % 90) for n in range(1, 60_001)]
    path.write_text("\n".join(lines) + "\n")
    rows = rows_of(path, [30_000], stream=stream)
    kept = [r for r in rows if r]
    assert all(lines[n - 1] == text for n, text in kept if n <= len(lines))
    numbers = {n for n, _ in kept}
    assert {1, 2, 29_990, 30_000, 30_150, 59_999, 60_000} <= numbers
    assert None in rows
    assert len(kept) < 40_000
    assert [n for n, _ in kept] == sorted(numbers)


@pytest.mark.parametrize("near", [[], [9_000], [30_000, 30_400], [58_000]])
def test_lines_that_are_known_change_no_number(tmp_path: Any, near: list[int]) -> None:
    path = tmp_path / "big.log"
    path.write_text("".join(f"line {n} " + "x" * (n % 90) + "\n" for n in range(1, 60_001)))
    reading = Reading()
    with path.open("rb") as file:
        assert sum(1 for _ in blocks(file, path.name, reading))
    data = path.read_bytes()
    assert len(reading.starts) > 2
    assert all(data[:at].count(b"\n") + 1 == number for at, number in reading.starts)
    rows = [r for r in rows_of(path, near, reading.starts) if r]
    assert all(text.startswith(f"line {n} ") for n, text in rows[:-1])
    assert {*near, 1, 60_000} <= {n for n, _ in rows}


def test_a_failure_in_the_middle_of_a_large_log_is_found(read: Any) -> None:
    filler = "".join(
        f"2026-01-01 10:00:00,000 [rank0] INFO words {n} {'x' * 60}\n" for n in range(20_000)
    )
    trace = '[rank0]: Traceback (most recent call last):\n[rank0]:   File "/job/a.py", line 3, in f\n[rank0]: KeyError: 5\n'
    seen = read(filler + trace + filler.replace("rank0", "rank1"))
    assert seen.findings["python-exception"].source.line == 20_003
