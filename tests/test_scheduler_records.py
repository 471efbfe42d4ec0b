"""What Slurm's programs say of a job's end, saved beside a log that ends with a signal and no word."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Result, judge
from medic.index.knowledge import load

STEPS = "".join(
    f"2026-03-02 08:{n // 60:02d}:{n % 60:02d} step {n} | loss {3 - n / 900:.4f} | lr 3.0e-04\n"
    for n in range(0, 900, 10)
)
SIGNAL = (
    "W0302 08:15:02.000000 881 torch/distributed/elastic/agent/server/api.py:719] Received 15 death "
    "signal, shutting down workers\n"
    "torch.distributed.elastic.multiprocessing.api.SignalException: Process 881 got signal: 15\n"
)
RAISED = (
    "Traceback (most recent call last):\n"
    '  File "/job/train.py", line 61, in <module>\n'
    "    loss = step(batch['labels'])\n"
    "KeyError: 'labels'\n"
)
WIDE = (
    "$ sacct -j 4 --format=JobID,State%30,ExitCode,Elapsed,Timelimit,MaxRSS,ReqMem\n"
    "JobID                                 State ExitCode    Elapsed  Timelimit     MaxRSS     ReqMem\n"
    "------------ ------------------------------ -------- ---------- ---------- ---------- ----------\n"
    "4                             OUT_OF_MEMORY    0:125   02:11:09 3-00:00:00                  200G\n"
    "4.batch                       OUT_OF_MEMORY    0:125   02:11:09            {used}\n"
)
NARROW = "JobID         State ExitCode\n------------ ---------- --------\n4            {state}    {code}\n"
BARS = (
    "JobID|JobName|State|ExitCode|Elapsed|Timelimit|NodeList\n"
    "4|pt|{state}|0:0|1-00:00:11|1-00:00:00|n[1-4]\n4.batch|batch|CANCELLED|0:15|1-00:00:12||n1\n"
)
BY_STATE = (
    "     State ExitCode    Elapsed  Timelimit \n---------- -------- ---------- ---------- \n"
    " {state}      0:0 1-00:00:11 1-00:00:00 \n CANCELLED     0:15 1-00:00:12            \n"
)
BLOCK = (
    "JobId=4 JobName=pt\n   UserId=me(1000) GroupId=lab(100) MCS_label=N/A\n"
    "   JobState={state} Reason={why} Dependency=(null)\n   RunTime=02:11:09 TimeLimit=3-00:00:00\n"
)
SEFF = (
    "Job ID: 4\nCluster: hpc\nUser/Group: me/lab\nState: {state} (exit code 0)\n"
    "Memory Utilized: 63.98 GB\nMemory Efficiency: {share}% of 64.00 GB\n"
)
MAIL = "Slurm Job_id=4 Name=pt Failed, Run time 02:11:09, {state}\n"
MEMORY = "host-memory-exhausted"


def of(folder: Path, record: str, log: str = STEPS + SIGNAL, name: str = "train.log") -> Result:
    (folder / "jobs.txt").write_text(record)
    (folder / name).write_text(log)
    return judge(Labelled("run", folder=str(folder)), load())


@pytest.mark.parametrize(
    ("record", "cause"),
    [
        (WIDE.format(used="209711204K"), "job-memory-limit"),
        (WIDE.format(used=" 81920000K"), MEMORY),
        (NARROW.format(state="OUT_OF_ME+", code="0:125"), MEMORY),
        (NARROW.format(state=" PREEMPTED", code="  0:0"), "job-preempted"),
        (NARROW.format(state="CANCELLED+", code="  0:0"), "job-cancelled-by-a-person"),
        ("JobID|State|ExitCode\n4|OUT_OF_MEMORY|0:125\n", MEMORY),
        ("4|OUT_OF_MEMORY|0:125\n", MEMORY),
        (BARS.format(state="PREEMPTED"), "job-preempted"),
        (BARS.format(state="TIMEOUT"), "time-limit-reached"),
        (BARS.format(state="NODE_FAIL"), "node-failed"),
        (BARS.format(state="CANCELLED by 1042"), "job-cancelled-by-a-person"),
        (BY_STATE.format(state="  TIMEOUT"), "time-limit-reached"),
        (BY_STATE.format(state="PREEMPTED"), "job-preempted"),
        (BLOCK.format(state="OUT_OF_MEMORY", why="OutOfMemory"), MEMORY),
        (BLOCK.format(state="NODE_FAIL", why="NodeDown"), "node-failed"),
        (SEFF.format(state="OUT_OF_MEMORY", share="99.97"), "job-memory-limit"),
        (SEFF.format(state="TIMEOUT", share="41.20"), "time-limit-reached"),
        (MAIL.format(state="OUT_OF_MEMORY"), MEMORY),
        (MAIL.format(state="TIMEOUT"), "time-limit-reached"),
        (MAIL.format(state="NODE_FAIL"), "node-failed"),
    ],
)
def test_the_record_says_why(tmp_path: Path, record: str, cause: str) -> None:
    assert of(tmp_path, record).named[0] == cause


@pytest.mark.parametrize(
    "state", ["OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT", "NODE_FAIL", "CANCELLED by 0"]
)
def test_another_jobs_record_says_nothing(tmp_path: Path, state: str) -> None:
    word = state.partition(" ")[0]
    other = [
        f"JobID|State|ExitCode\n7|{state}|0:0\n8|FAILED|1:0\n9|{state}|0:0\n",
        BLOCK.format(state=word, why="None").replace("=4 ", "=7 "),
        MAIL.format(state=word).replace("=4 ", "=7 "),
        "slurmstepd: error: *** JOB 7 ON n9 CANCELLED AT 2026-07-21T11:00:00 DUE TO TIME LIMIT ***\n",
    ]
    for record in other:
        found = of(tmp_path, record, STEPS + RAISED, "slurm-8.out")
        assert found.named[0] == "uncaught-exception"
        assert found.verdict != "established"


@pytest.mark.parametrize("state", ["OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT", "NODE_FAIL"])
def test_of_several_jobs_none_is_taken_unless_the_log_names_its_own(
    tmp_path: Path, state: str
) -> None:
    record = f"JobID|State|ExitCode\n7|{state}|0:0\n8|FAILED|1:0\n9|COMPLETED|0:0\n"
    assert of(tmp_path, record, STEPS + RAISED).named[0] == "uncaught-exception"
    named = of(tmp_path, record, "SLURM_JOB_ID=7\n" + STEPS + SIGNAL)
    assert named.named[0] in (MEMORY, "job-preempted", "time-limit-reached", "node-failed")


def test_the_last_try_of_a_requeued_job_counts(tmp_path: Path) -> None:
    record = "JobID|State|ExitCode\n4|PREEMPTED|0:0\n4|TIMEOUT|0:0\n4.batch|CANCELLED|0:15\n"
    assert of(tmp_path, record).named[0] == "time-limit-reached"


def test_a_job_that_completed_explains_no_failure(tmp_path: Path) -> None:
    record = "JobID|State|ExitCode\n4|COMPLETED|0:0\n4.0|CANCELLED|0:15\n"
    assert of(tmp_path, record, STEPS + RAISED).named[0] == "uncaught-exception"


def test_a_task_of_an_array_is_another_job(tmp_path: Path) -> None:
    record = "JobID|State|ExitCode\n4_1|TIMEOUT|0:0\n4_2|FAILED|1:0\n"
    assert of(tmp_path, record, STEPS + RAISED, "slurm-4_2.out").named[0] == "uncaught-exception"


def test_words_of_a_log_are_no_row(tmp_path: Path) -> None:
    said = "12 workers got TIMEOUT while waiting\n3 of 8 downloads FAILED, retried\n"
    assert of(tmp_path, "", said + STEPS + RAISED).named[0] == "uncaught-exception"
