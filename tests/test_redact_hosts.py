"""Machines are hidden where a scheduler, a launcher or a library names them; words are not."""

from __future__ import annotations

import pytest

from medic.redact.hide import Redactor

NAMED = [
    ("srun: error: gpu-b04: task 1: Out Of Memory", "gpu-b04"),
    ("srun: error: dgx[18-19]: tasks 2-3: Killed\ndgx19: step 1", "dgx19"),
    (
        "slurmstepd: error: *** JOB 884123 ON gpu-b03 CANCELLED AT 2026-03-02T11:53:01 ***",
        "gpu-b03",
    ),
    (
        "slurmstepd: error: *** STEP 884123.0 ON gpu-b03 CANCELLED AT 2026-03-02T11:53:01 ***",
        "gpu-b03",
    ),
    ("slurmstepd-dgx17: error: Detected 1 oom_kill event in StepId=884123.0.", "dgx17"),
    ("node-x07:2200:2290 [0] NCCL INFO Bootstrap: Using ens5", "node-x07"),
    (
        "worker-7: [2026-03-02 09:12:03,301] [INFO] [launch.py:319] Killing subprocess 30122",
        "worker-7",
    ),
    ("timed out after 600000ms while trying to connect to (gpu-b05, 29500).", "gpu-b05"),
    ("SLURM_SUBMIT_HOST=login-hpc3", "login-hpc3"),
    ("MASTER_ADDR=dgx-a.cluster.example", "dgx-a"),
    ("  host      : trainer7", "trainer7"),
    ("  host      : gpu-node-17", "gpu-node-17"),
    ("connected to host gpu12", "gpu12"),
    ("wandb: Currently logged in as: someone (myteam). Use `wandb login --relogin`", "myteam"),
]
WORDS = [
    "a process was killed for lack of host memory; CUDA out of memory; all ranks read memory-mapped files",
    "the RAM of the host = ranks x workers",
    "node of the job: host name unknown",
    "srun: Job step creation temporarily disabled",
    "CUDA:0: [2026-03-02 09:12:03] a step",
]


@pytest.mark.parametrize(("line", "name"), NAMED)
def test_a_machine_is_hidden_wherever_it_stands(line: str, name: str) -> None:
    redact = Redactor()
    redact.learn(line)
    assert name not in redact(line)
    assert name not in redact(f"seen on {name} at step 3")


@pytest.mark.parametrize("line", WORDS)
def test_words_beside_host_and_node_stay(line: str) -> None:
    assert Redactor().as_read(line) == line
