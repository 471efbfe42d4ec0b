"""What an earlier run, an earlier boot or a handled error printed does not tell of the last end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from medic.facts import LogHits, Tracebacks

Read = Callable[..., Any]
MISTAKE = """Traceback (most recent call last):
  File "/job/score.py", line 31, in grade
    return int(text) == truth
TypeError: int() argument must be a string, not 'NoneType'
"""
PORT = (
    "torch.distributed.DistNetworkError: The server socket has failed to listen on any local "
    "network address. port: 29511, useIpv6: false, code: -98, name: EADDRINUSE, message: address "
    "already in use\n"
)
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total "
    "capacity of 79.15 GiB of which 1.2 GiB is free.\n"
)
XID = "[{when}] NVRM: Xid (PCI:0000:{card}:00): {number}, pid=77, name=python, {words}\n"
OFF = {"number": 79, "words": "GPU has fallen off the bus."}
ILLEGAL = (
    "2026-03-20 10:15:02 [rank1]: RuntimeError: CUDA error: an illegal memory access was "
    "encountered\n"
)
TRAINS = "".join(f"2026-03-20 10:1{n}:00 step {n * 10} loss 2.{n}\n" for n in range(3))
TIMED = MISTAKE.replace("Traceback", "2026-03-20 10:14:00 Traceback", 1)


def roots(read: Any) -> list[str]:
    found = [h.symptom for h in read[LogHits].hits if h.role == "root" and not h.benign]
    return list(dict.fromkeys(found))


def own(read: Any) -> list[str]:
    """The exceptions that count, none of which a known line tells."""
    return [t.exception for t in read[Tracebacks].all if t.uncaught]


def reasons(read: Any) -> list[str]:
    return [u.why.en for u in read.unread]


@pytest.mark.parametrize("error", [PORT, OOM], ids=["port", "memory"])
@pytest.mark.parametrize(
    "progress",
    [
        "rollout step 1 done in 33.0 s\n",
        "epoch 1 finished, val acc 0.64\n",
        "INFO finished epoch 1 in 300 s\n",
        "Epoch 1/3 completed\n",
        "epoch 2 训练完成\n",
        "WARNING: retrying with other settings\nINFO engine started\n",
        "launcher: retry 1 with port 29617\nlauncher: 16 ranks joined\n",
    ],
)
def test_work_done_after_an_error_shows_that_it_was_handled(
    read: Read, error: str, progress: str
) -> None:
    seen = read(error + progress + MISTAKE)
    assert roots(seen) == []
    assert own(seen) == ["TypeError"]
    assert any("does not count: the run went on after it" in why for why in reasons(seen))


@pytest.mark.parametrize(
    "said",
    [
        "INFO engine started\n",  # another one may have
        "WARNING: retrying with other settings\n",
        "WARNING: retrying\nINFO engine not started\n",
        "waiting until epoch 1 is done\n",
        "epoch 1 not finished\n",
        "WARNING: retrying\n16 ranks waiting, not all joined\n",
    ],
)
def test_words_that_tell_of_no_work_done(read: Read, said: str) -> None:
    seen = read(OOM + said + MISTAKE)
    assert roots(seen) == ["cuda-out-of-memory"]


def test_the_error_that_comes_again_after_the_retry_counts(read: Read) -> None:
    seen = read(PORT + "retry 1\nrollout step 1 done in 33.0 s\n" + PORT)
    assert roots(seen) == ["port-in-use"]


def test_the_first_rank_to_fail_counts_though_another_one_did_some_work(read: Read) -> None:
    lines = "".join(f"[rank{r}]: step 10 loss 2.0\n" for r in (0, 1))
    lost = (
        "[rank0]: RuntimeError: [1] is setting up NCCL communicator and retrieving ncclUniqueId "
        "from [0] via c10d key-value store, but got Connection reset by peer\n"
    )
    seen = read(lines + f"[rank1]: {OOM}[rank0]: epoch 1 done\n" + lost)
    assert "cuda-out-of-memory" in roots(seen)


def test_a_kill_outside_the_tasks_after_which_they_trained(read: Read) -> None:
    kill = "slurmstepd: error: Detected 1 oom_kill event in StepId=5120.extern. Some of the step tasks have been OOM Killed.\n"
    end = "[rank2]: AssertionError: 4 stages, found 6\n"
    assert roots(read(kill + "step 40 loss 2.2\n" + end)) == []
    assert roots(read("step 40 loss 2.2\n" + kill + end)) == ["host-out-of-memory"]


def test_an_event_of_days_before_the_run(read: Read) -> None:
    old = XID.format(when="Mon Mar  9 04:00:00 2026", card="3b", **OFF)
    seen = read(old + TRAINS + ILLEGAL)
    assert roots(seen) == ["cuda-kernel-error"]
    assert any("of another time than this run" in why for why in reasons(seen))


@pytest.mark.parametrize(
    "start",
    [
        "[Fri Mar 20 09:40:00 2026] systemd-shutdown: rebooting\n",
        "[Fri Mar 20 09:40:00 2026] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15\n",
        "[Fri Mar 20 09:40:00 2026] Linux version 6.8.0-45-generic\n",
    ],
)
def test_an_event_of_before_the_machine_started_again(read: Read, start: str) -> None:
    old = XID.format(when="Fri Mar 20 09:10:00 2026", card="3b", **OFF)
    assert roots(read(old + start + ILLEGAL)) == ["cuda-kernel-error"]
    assert "gpu-hardware-fault" in roots(read(old + ILLEGAL))


def test_a_fault_of_a_program_on_another_card_long_after(read: Read) -> None:
    old = XID.format(when="Fri Mar 20 09:30:00 2026", card="3b", **OFF)
    words = {"number": 31, "words": "Ch 00000008, MMU Fault: ENGINE GRAPHICS"}
    for card, counts in (("86", False), ("3b", True)):
        fault = XID.format(when="Fri Mar 20 10:15:02 2026", card=card, **words)
        assert ("gpu-hardware-fault" in roots(read(old + fault + ILLEGAL))) is counts


def test_an_event_seconds_before_the_failure_counts(read: Read) -> None:
    fault = XID.format(when="Fri Mar 20 10:14:58 2026", card="3b", **OFF)
    assert "gpu-hardware-fault" in roots(read(TRAINS + fault + ILLEGAL))
    assert "gpu-hardware-fault" in roots(read(fault + TRAINS + ILLEGAL))  # as it was pasted
    seen = read({"train.log": TRAINS + ILLEGAL, "dmesg.txt": fault})
    assert "gpu-hardware-fault" in roots(seen)


def test_the_job_that_another_one_of_its_name_followed(read: Read) -> None:
    """Whenever the files were copied: the words of the scheduler have their date."""
    old = "slurmstepd: error: *** JOB 212 ON n7 CANCELLED AT 2026-02-02T00:00:00 DUE TO TIME LIMIT ***\n"
    seen = read({"slurm-212.out": old, "slurm-260.out": TRAINS + TIMED})
    assert roots(seen) == []
    assert not [h for h in seen[LogHits].hits if h.source.file == "slurm-212.out"]
    assert own(seen) == ["TypeError"]
    assert any("of an earlier run, which failed at line 1" in why for why in reasons(seen))
    assert any(u.earlier for u in seen.unread)


def test_a_failure_days_before_the_run_whatever_its_file_is_called(read: Read) -> None:
    old = "2026-02-02 09:00:00 OSError: [Errno 28] No space left on device\n"
    for last in (TRAINS + TIMED, TIMED):
        seen = read({"first_try.log": old, "train.log": last})
        assert roots(seen) == []
        assert own(seen) == ["TypeError"]


def test_a_failure_hours_before_counts(read: Read) -> None:
    """Clocks of two zones differ by as much."""
    old = "2026-03-20 03:00:00 OSError: [Errno 28] No space left on device\n"
    assert roots(read({"server.log": old, "train.log": TRAINS + TIMED})) == ["disk-full"]


CANCELLED = (
    "slurmstepd: error: *** JOB {job} ON n7 CANCELLED AT 2026-03-20T10:12:00 DUE TO {why} ***\n"
)
DICTS = "".join(
    f"{{'loss': 1.{90 - n}, 'learning_rate': 1e-05, 'epoch': 0.{n:02}}}\n" for n in range(10, 40)
)


@pytest.mark.parametrize("why", ["PREEMPTION", "NODE FAILURE"])
def test_a_job_that_was_ended_before_the_next_one_went_on(read: Read, why: str) -> None:
    """Step lines without times: the scheduler's last words are the only time of both logs."""
    end = "{'train_runtime': 3600.0, 'train_loss': 1.2, 'epoch': 1.0}\n"
    old = DICTS + CANCELLED.format(job=311, why=why)
    for last in (DICTS + end, "2026-03-20 11:00:00 start\n" + DICTS + end):
        seen = read({"slurm-311.out": old, "slurm-312.out": last})
        assert roots(seen) == []
        assert seen[LogHits].ended == "well"
    seen = read(
        {"slurm-311.out": DICTS + end, "slurm-312.out": DICTS + CANCELLED.format(job=312, why=why)}
    )
    assert seen[LogHits].ended == "badly"


def test_a_failure_without_a_time_before_a_job_that_tells_some(read: Read) -> None:
    old = DICTS + MISTAKE
    end = DICTS + CANCELLED.format(job=312, why="TIME LIMIT")
    assert own(read({"slurm-311.out": old, "slurm-312.out": end})) == []
    assert own(read({"slurm-312.out": old, "slurm-311.out": end})) == ["TypeError"]


@pytest.mark.parametrize(
    ("when", "counts"), [("Fri Mar 20 10:16:00 2026", True), ("Mon May 4 10:16:00 2026", False)]
)
def test_an_event_days_after_the_run(read: Read, when: str, counts: bool) -> None:
    late = XID.format(when=when, card="3b", **OFF)
    assert ("gpu-hardware-fault" in roots(read(TRAINS + ILLEGAL + late))) is counts


@pytest.mark.parametrize(
    ("says", "begins", "over"),
    [
        ("Saving model checkpoint to out/checkpoint-500", "out/checkpoint-500", True),
        ("Saving model checkpoint to out/checkpoint-500", "hub/sft-7b", False),
        ("no checkpoint found in out/checkpoint-500", "out/checkpoint-500", False),
    ],
)
def test_a_job_from_whose_checkpoint_another_log_went_on(
    read: Read, says: str, begins: str, over: bool
) -> None:
    limit = "slurmstepd: error: *** JOB 771 ON n4 CANCELLED AT 2026-03-20T10:15:00 DUE TO TIME LIMIT ***\n"
    first = f"{says}\nstep 500 loss 2.4\n{limit}"
    then = f"Loading model from {begins}.\nstep 510 loss 2.4\nstep 520 loss 2.3\n"
    found = roots(read({"sft.log": first, "more.log": then}))
    assert (found == []) is over
