"""Lines that only follow, and lines of healthy programs: neither names a cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.explain import diagnosed
from medic.index.knowledge import load
from medic.records import replace
from medic.report import markdown
from medic.runner.registry import all_probes
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis

INDEX = load()
PROBES = [probe for probe in all_probes() if probe.reads == "artefacts"]
WARNINGS = Path(__file__).with_name("warnings.txt").read_text("utf-8").splitlines()
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.15 GiB of which 1.12 GiB is free. Including non-PyTorch memory, this process "
    "has 78.01 GiB memory in use. Of the allocated memory 51.20 GiB is allocated by PyTorch, and "
    "25.90 GiB is reserved by PyTorch but unallocated."
)


def _session(text: str) -> Session:
    session = Session(INDEX, collect([], text=text, this_host=False, index=INDEX), PROBES)
    session.look()
    return session


def _answered(text: str) -> Diagnosis:
    return _session(text).diagnosis()


@pytest.mark.parametrize(
    "text",
    [
        "MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD\nwith errorcode 1.\n\n"
        "NOTE: invoking MPI_ABORT causes Open MPI to kill all MPI processes.",
        "gpu07:4411:4490 [2] NCCL WARN Cuda failure 719 'unspecified launch failure'",
        "gpu07:4411:4490 [2] NCCL WARN Cuda failure 999 'unknown error'",
        "RuntimeError: CUDA error: unspecified launch failure",
        "RuntimeError: CUDA error: unknown error",
        "[rank3]:[E ProcessGroupNCCL.cpp:475] Some NCCL operations have failed or timed out. Due to "
        "the asynchronous nature of CUDA kernels, subsequent GPU operations might run on "
        "corrupted/incomplete data.",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "srun: error: gpu-12: task 9: Exited with exit code 1",
    ],
)
def test_what_only_follows_names_no_cause(text: str) -> None:
    found = _answered(text)
    assert (found.verdict, found.causes, found.next) == ("unclear", (), None)
    assert found.consequences


@pytest.mark.parametrize(
    ("root", "cause"),
    [
        ("kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=41, GPU has fallen off the bus.", "gpu-off"),
        ("NVRM: Xid (PCI:0000:3b:00): 48, pid=41, name=python, DBE (double bit) ECC", "gpu-memory"),
        (f"[rank2]: {OOM}", "allocator-fragmentation"),
    ],
)
def test_the_root_leads_what_follows_from_it(root: str, cause: str) -> None:
    line = "gpu07:4411:4490 [2] NCCL WARN Cuda failure 719 'unspecified launch failure'"
    assert _answered(f"{root}\n{line}").causes[0].name.startswith(cause)


def test_a_signal_says_more_than_that_something_ended() -> None:
    found = _answered("failed (exitcode: -9) local_rank: 3 (pid: 901) of binary: /usr/bin/python")
    assert found.causes


def test_an_unlikely_leader_is_no_answer() -> None:
    session = _session("we collected the data from the web, training is slow")
    found = session.diagnosis()
    assert found.causes[0].word == "unlikely"
    assert found.verdict == "unclear"
    nearest = markdown.diagnosis(session, found).partition("## Nearest causes")[2]
    assert nearest.index(found.causes[0].name) < nearest.index(found.causes[1].name)
    given_up = markdown.diagnosis(session, replace(found, verdict="none-of-these"))
    assert found.causes[0].name in given_up


@pytest.mark.parametrize("line", [line for line in WARNINGS if line.strip(" *")])
def test_a_warning_alone_is_no_fault(line: str) -> None:
    assert _answered(line).verdict in ("no-fault-seen", "healthy")


@pytest.mark.parametrize("line", WARNINGS[:12])
def test_an_error_leads_beside_a_warning(line: str) -> None:
    found = _answered(f"{line}\n{OOM}")
    assert found.causes[0].name == "allocator-fragmentation"


def test_a_message_is_explained_as_it_is_diagnosed() -> None:
    seen = diagnosed(OOM, INDEX)
    assert seen.symptom == "cuda-out-of-memory"
    assert seen.causes[0] == _answered(OOM).causes[0].name
    assert diagnosed("CUDA out of memory", INDEX).causes == ()


def test_lines_without_a_year_are_of_the_year_that_others_tell() -> None:
    killed = "[Thu Mar 20 04:02:47 2025] Out of memory: Killed process 41992 (python) total-vm:81kB"
    timeout = (
        "[rank0]:[E320 04:12:51.118 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective "
        "operation timeout: WorkNCCL(SeqNum=8, OpType=ALLREDUCE, NumelIn=5, NumelOut=5, "
        "Timeout(ms)=600000) ran for 600022 milliseconds before timing out."
    )
    assert _answered(f"{timeout}\n{killed}").causes[0].name == "host-memory-exhausted"


def test_whose_limit_it_was_is_told_apart() -> None:
    ended = "failed (exitcode: -9) local_rank: 2 (pid: 30211) of binary: /opt/conda/bin/python\n"
    group = "Memory cgroup out of memory: Killed process 30211 (python) total-vm:81kB"
    assert _answered(ended + group).causes[0].name == "job-memory-limit"
    killed = "Out of memory: Killed process 30211 (python) total-vm:81kB"
    assert _answered(ended + killed).causes[0].name == "host-memory-exhausted"


@pytest.mark.parametrize(("loss", "follows"), [("0.0", False), ("2.1", True)])
def test_a_validation_beside_a_training_that_counts_nothing(loss: str, follows: bool) -> None:
    """It is no evaluation alone that is broken where the training loss is zero throughout."""
    rows = [
        f"{{'loss': {loss}, 'grad_norm': nan, 'learning_rate': 1e-05, 'epoch': {n / 100:.2f}}}"
        for n in range(1, 40)
    ]
    held = "{'eval_loss': nan, 'eval_runtime': 41.2, 'eval_samples_per_second': 7.3, 'epoch': 0.4}"
    found = _answered("\n".join([*rows, held, OOM]))
    seen = [*found.consequences, *found.symptoms, *found.unexplained]
    assert any(line.name == "eval-loss-nan" for line in seen) == follows
