"""A run folder read whole: what decides stands beside the loud line. Each case has its twin."""

from __future__ import annotations

import io
import os
import pickle
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load
from medic.match import Matcher, iter_lines
from medic.report.console import Console
from medic.report.text import diagnosis as render
from medic.runner.registry import all_probes
from medic.session.consultation import Session

STEP = (
    "2026-03-02 {h:02d}:{m:02d}:{s:02d} step {n} | loss {loss:.4f} | lr 3.0e-04 | grad_norm 0.9\n"
)
BUS = (
    "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient "
    "shared memory (shm).\nRuntimeError: DataLoader worker (pid 4412) is killed by signal: Bus "
    "error. It is possible that dataloader's workers are out of shared memory.\n"
)
KEY = """Traceback (most recent call last):
  File "/job/train.py", line 40, in <module>
    for batch in loader:
  File "/job/collate.py", line 12, in __call__
    x = [f["messages"] for f in feats]
KeyError: 'messages'
"""
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total "
    "capacity of 79.10 GiB of which 1.20 GiB is free.\n"
)


def steps(first: int, last: int, *, every: int = 10) -> str:
    """Step lines, ten seconds each."""
    return "".join(
        STEP.format(h=n // 360, m=n // 6 % 60, s=n * 10 % 60, n=n, loss=3 - n / 5000)
        for n in range(first, last, every)
    )


def hf(count: int) -> str:
    return "".join(
        f"{{'loss': {2.4 - n / 500:.4f}, 'learning_rate': 2e-05, 'epoch': {n / 100:.2f}}}\n"
        for n in range(count)
    )


def diagnosed(folder: Path) -> Result:
    return judge(Labelled("run", folder=str(folder)), load())


def of(folder: Path, **files: str) -> Result:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return diagnosed(folder)


def session_of(folder: Path) -> Session:
    index = load()
    probes = [p for p in all_probes() if p.reads == "artefacts"]
    session = Session(index, collect([str(folder)], this_host=False, index=index), probes)
    session.look()
    return session


def report(folder: Path) -> str:
    session, out = session_of(folder), io.StringIO()
    with redirect_stdout(out):
        render(Console(), session, session.diagnosis(), numbers=False)
    return " ".join(out.getvalue().split())


# --- shared memory -----------------------------------------------------------------------------


def test_a_bus_error_is_no_proof_of_a_small_shared_memory(tmp_path: Path) -> None:
    found = of(tmp_path, train__log=hf(5) + BUS)
    assert (found.verdict, found.named[0]) == ("likely", "shared-memory-too-small")


def test_a_bus_error_with_much_room_is_not_called_so(tmp_path: Path) -> None:
    df = "tmpfs           504G  1.2G  503G   1% /dev/shm\n"
    found = of(tmp_path, train__log=df + hf(5) + BUS)
    assert found.verdict == "likely"
    assert found.word in ("possible", "unlikely")
    assert "mapped-file-cut-short" in found.named[:2]


def test_a_bus_error_in_64_mib_is_proven(tmp_path: Path) -> None:
    df = "shm              64M   64M     0 100% /dev/shm\n"
    found = of(tmp_path, train__log=df + hf(5) + BUS)
    assert (found.verdict, found.named[0]) == ("established", "shared-memory-too-small")


# --- a silence before the limit ----------------------------------------------------------------


LIMIT = (
    "slurmstepd: error: *** JOB 772 ON gpu-b1 CANCELLED AT 2026-03-02T{at} DUE TO TIME LIMIT ***\n"
)


def test_a_limit_that_ends_a_silence_of_hours_is_no_cause(tmp_path: Path) -> None:
    found = of(tmp_path, slurm__out=steps(10, 900) + LIMIT.format(at="18:07:00"))
    assert found.verdict == "likely"
    assert "time-limit-reached" not in found.named


def test_a_limit_right_after_a_step_is_the_cause(tmp_path: Path) -> None:
    found = of(tmp_path, slurm__out=steps(10, 900) + LIMIT.format(at="02:29:00"))
    assert (found.verdict, found.named[0]) == ("established", "time-limit-reached")


def test_a_distance_of_two_zones_is_no_silence(tmp_path: Path) -> None:
    found = of(tmp_path, slurm__out=steps(10, 900) + LIMIT.format(at="10:28:20"))
    assert (found.verdict, found.named[0]) == ("established", "time-limit-reached")


@pytest.mark.parametrize(
    ("last", "hangs"),
    [
        ("2026-03-02 18:07:31 [rank2] WARNING heartbeat: monitor thread is alive", True),
        ("2026-03-02 18:07:31 INFO Evaluating: batch 900 of 1200", False),
        ("2026-03-02 10:28:20 [rank2] WARNING heartbeat: monitor thread is alive", False),  # a zone
    ],
)
def test_lines_that_go_on_for_hours_are_no_steps(tmp_path: Path, last: str, hangs: bool) -> None:
    found = of(tmp_path, train__log=steps(10, 900) + last + "\n")
    assert (found.verdict == "no-fault-seen") != hangs


# --- one record --------------------------------------------------------------------------------


def test_one_records_key_after_many_steps_is_no_column(tmp_path: Path) -> None:
    found = of(tmp_path, train__log=hf(50) + KEY)
    assert (found.verdict, found.named[0]) == ("likely", "unreadable-sample")


def test_a_key_that_the_batch_lacks_is_likely_the_columns(tmp_path: Path) -> None:
    """The data set may have it, and what prepares the batch has dropped it."""
    found = of(tmp_path, train__log=KEY)
    assert (found.verdict, found.named[0]) == ("likely", "column-names-not-mapped")


ROWS = "JobID State ExitCode Elapsed Timelimit\n7 {state} {code} 1-00:00:11 1-00:00:00\n{own}\n"


def test_another_jobs_row_of_the_accounting_says_nothing(tmp_path: Path) -> None:
    for state, code in (("TIMEOUT", "0:0"), ("NODE_FAIL", "0:0")):
        rows = ROWS.format(state=state, code=code, own="8 FAILED 1:0 00:02:11 1-00:00:00")
        (tmp_path / "sacct.txt").write_text(rows)
        (tmp_path / "slurm-8.out").write_text(KEY)
        assert diagnosed(tmp_path).named[0] == "column-names-not-mapped"


def test_the_own_row_of_the_accounting_counts(tmp_path: Path) -> None:
    own = "8 TIMEOUT 0:0 1-00:00:10 1-00:00:00"
    (tmp_path / "sacct.txt").write_text(ROWS.format(state="COMPLETED", code="0:0", own=own))
    (tmp_path / "slurm-8.out").write_text(steps(0, 200))
    assert diagnosed(tmp_path).named[0] == "time-limit-reached"


# --- earlier jobs ------------------------------------------------------------------------------


def jobs(folder: Path, first: str, second: str, name: str = "slurm-{n}.out") -> Result:
    (folder / name.format(n=1001)).write_text(first)
    (folder / name.format(n=1002)).write_text(second)
    return diagnosed(folder)


def test_the_newest_job_decides(tmp_path: Path) -> None:
    assert jobs(tmp_path, hf(20) + OOM, "Resuming from checkpoint-200\n" + hf(90)).verdict in (
        "no-fault-seen",
        "healthy",
    )
    assert "of an earlier run, which failed" in report(tmp_path)


def test_a_newest_job_that_failed_alarms(tmp_path: Path) -> None:
    assert jobs(tmp_path, hf(90), hf(20) + OOM).verdict == "likely"


def test_numbers_of_nodes_are_no_order(tmp_path: Path) -> None:
    assert jobs(tmp_path, hf(20) + OOM, hf(90), "node{n}.out").verdict == "likely"


# --- pickles, holes ----------------------------------------------------------------------------


class Calls:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


def test_a_pickle_that_lies_alone_is_named(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(pickle.dumps({"w": Calls()}))
    (tmp_path / "optimizer.pt").write_bytes(pickle.dumps(Calls()))
    told = report(tmp_path)
    assert "optimizer.pt: not opened: a pickle" in told
    assert "calls posix.system when it is loaded" in told


def test_a_pickle_beside_a_log_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "cache.pkl").write_bytes(b"\x80\x04N.")
    (tmp_path / "train.log").write_text(hf(5))
    assert "not opened: a pickle" not in report(tmp_path)


def test_a_log_with_a_hole_is_read_behind_it(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    with log.open("wb") as file:
        file.write(hf(5).encode())
        file.seek(6 << 30)
        file.write(b"\n" + OOM.encode())
    assert "cuda-out-of-memory" in session_of(tmp_path).observed_symptoms()
    told = report(tmp_path)
    assert "train.log:7" in told
    assert "a hole of zero bytes was passed over" in told


def test_lines_keep_their_numbers_over_holes(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    with log.open("wb") as file:
        for part in range(3):
            file.seek(part << 24)
            file.write(b"".join(b"part %d line %d\n" % (part, n) for n in range(150_000)))
    with log.open("rb") as file:
        lines = list(iter_lines(file, "train.log"))
    assert [number for number, _ in lines] == list(range(1, 450_001))
    assert lines[300_000][1] == "part 2 line 0"
    with log.open("rb") as file:
        starts = Matcher([]).scan_file(file, "train.log").starts
    data = log.read_bytes()
    assert len(starts) > 1
    assert all(n == 1 + data[:at].count(b"\n") for at, n in starts)


def test_binary_is_still_no_log(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_bytes(bytes(range(256)) * 40 + bytes(4000))
    assert session_of(tmp_path).evidence.not_read


# --- programs outside --------------------------------------------------------------------------


def launched(folder: Path, program: str) -> str:
    run, code = folder / "run", folder / "code"
    run.mkdir()
    code.mkdir()
    (code / "train.py").write_text("import data\n")
    (code / "data.py").write_text("SIZE = 4\n")
    (run / "train.log").write_text(hf(5))
    (run / "launch.sh").write_text(f"torchrun --nproc-per-node 2 \\\n  {program} --config c.yaml\n")
    return report(run)


def test_a_program_outside_is_read_and_said_so(tmp_path: Path) -> None:
    told = launched(tmp_path, "../code/train.py")
    assert "Outside the folder, named by" in told
    assert "code/train.py" in told
    assert "code/data.py" in told


def test_a_program_that_is_not_there_is_not(tmp_path: Path) -> None:
    assert "Outside the folder" not in launched(tmp_path, "../other/train.py")
