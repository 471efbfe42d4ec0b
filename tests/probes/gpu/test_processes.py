"""Processes that are not the run's: in reports of its time and on this machine."""

from __future__ import annotations

import time
from typing import Any

import pytest
from medic.probes.gpu import report, this_host

from medic.facts import Gpu, GpuProcess, GpuState, Hit, Launch, Launches, LogHits, Source, Word
from medic.probe import Finding, Skip, Unread
from medic.records import replace
from medic.run_config import Span

TIME = 1772792430.0  # of the samples
ALIVE = LogHits(first_time=TIME - 600, last_time=TIME + 5)
FAILED = LogHits(first_time=TIME - 600, last_time=TIME - 60, ended="badly")

MEMORY = ("gpu-memory-errors", "gpu-hardware-fault")  # of the card, whatever runs on it


def launch(**environment: str) -> Launches:
    span = Span("run.sh", 0, 1, 4, 1, 4, 2)
    words = (Word(span, "--nproc-per-node=2", "--nproc-per-node=2"),)
    return Launches(
        (Launch("torchrun", words, Word(span, "train.py", "train.py"), (), span, environment),)
    )


def run(seen: Any, probe: Any = report) -> tuple[list[Any], Finding | Skip]:
    items = [i for i in probe.PROBE.run(seen) if getattr(i, "name", "") not in MEMORY]
    (told,) = [i for i in items if isinstance(i, (Finding, Skip))]
    return [i for i in items if not isinstance(i, (Finding, Skip))], told


def report_of(look: Any, text: str, logs: LogHits | None, *facts: Any) -> Any:
    known = [*facts, *([logs] if logs else [])]
    return look(
        {"nvidia-smi.txt": text, "train.log": "x"}, facts=known, thresholds={"held-bytes": 1 << 30}
    )


def test_a_process_left_after_the_run_failed(look: Any, smi: Any) -> None:
    facts, told = run(report_of(look, smi.table, FAILED))
    assert isinstance(told, Finding)
    assert told.outcome == "other-process-holds-memory"
    value = {
        "pid": "4321",
        "name": "/opt/my ollama serve",
        "used": "19.00 GiB",
        "used_bytes": 19456 << 20,
        "gpu": 1,
    }
    assert told.value == value
    assert told.source.time == TIME
    assert isinstance(facts[0], GpuState)


def test_one_process_a_gpu_while_the_run_is_alive(look: Any, smi: Any) -> None:
    _, told = run(report_of(look, smi.table, ALIVE))
    assert isinstance(told, Finding)
    assert told.outcome == "only-this-run"


def table_with(smi: Any, *rows: tuple[int, int, str, int]) -> str:
    lines = [
        f"|    {g}   N/A  N/A  {pid:>8}      C   {name:<40} {mib}MiB |"
        for g, pid, name, mib in rows
    ]
    head = smi.table[: smi.table.index("|    1   N/A")]
    return str(head) + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("rows", "pid"),
    [
        ([(0, 900, "python", 20000), (0, 5000, "python", 30000)], "900"),  # the older one
        ([(0, 9000, "/opt/ollama", 20000), (0, 5000, "python", 30000)], "9000"),
        ([(0, 9000, "python", 500), (0, 5000, "python", 30000)], None),  # a context only
        ([(0, 9000, "ray::WorkerDict", 20000), (0, 5000, "ray::Rollout", 30000)], None),
    ],
)
def test_more_processes_than_ranks(look: Any, smi: Any, rows: Any, pid: str | None) -> None:
    _, told = run(report_of(look, table_with(smi, *rows), ALIVE))
    assert isinstance(told, Finding)
    assert told.value.get("pid") == pid


def test_process_ids_in_the_log_are_the_runs(look: Any, smi: Any) -> None:
    line = Source(
        "train.log", 3, text="failed (exitcode: 1) local_rank: 0 (pid: 900) of binary: python"
    )
    logs = LogHits(first_time=TIME - 9, last_time=TIME + 9, tail=(line,))
    rows = [(0, 900, "python", 20000), (0, 5000, "python", 30000)]
    _, told = run(report_of(look, table_with(smi, *rows), logs))
    assert isinstance(told, Finding)
    assert told.value["pid"] == "5000"


def test_gpus_that_the_run_does_not_use_do_not_count(look: Any, smi: Any) -> None:
    _, told = run(report_of(look, smi.table, FAILED, launch(CUDA_VISIBLE_DEVICES="0")))
    assert isinstance(told, Finding)
    assert told.outcome == "only-this-run"


@pytest.mark.parametrize(
    "logs",
    [
        LogHits(first_time=TIME + 3600, last_time=TIME + 7200),
        LogHits(first_time=TIME - 7200, last_time=TIME - 3600, ended="badly"),
        None,
    ],
    ids=["before", "after", "no log"],
)
def test_a_report_of_another_time_is_a_fact_and_not_judged(
    look: Any, smi: Any, logs: LogHits | None
) -> None:
    facts, told = run(report_of(look, smi.table, logs))
    assert isinstance(told, Skip)
    assert isinstance(facts[0], GpuState)


def test_a_log_without_times_is_compared_by_file_times(look: Any, smi: Any, tmp_path: Any) -> None:
    import os

    seen = report_of(look, smi.table, LogHits(ended="badly"))
    assert isinstance(run(seen)[1], Finding)
    os.utime(tmp_path / "train.log", (1000, 1000))
    assert isinstance(run(seen)[1], Skip)


def test_an_unreadable_report_says_why(look: Any) -> None:
    others, told = run(report_of(look, "nothing here", FAILED))
    assert isinstance(told, Skip)
    (unread,) = [item for item in others if isinstance(item, Unread)]
    assert (unread.file, unread.why.en) == ("nvidia-smi.txt", "no GPU in it")


# --- this machine ---------------------------------------------------------------------------


def test_this_machine_is_judged_only_if_the_run_was_here(look: Any, fake_nvml: Any) -> None:
    fake_nvml()
    logs = LogHits(last_time=time.time() - 60, ended="badly")
    for here in (None, False):
        facts, told = run(look(facts=[logs], host_is_the_runs=here), this_host)
        assert isinstance(told, Skip)
        assert facts[0].origin == "this-host"
    _, told = run(look(facts=[logs], host_is_the_runs=True), this_host)
    assert isinstance(told, Finding)
    assert told.value["name"] == "/opt/ollama"


def test_a_report_of_the_case_comes_first(look: Any, fake_nvml: Any) -> None:
    fake_nvml()
    reported = GpuState((Gpu(0),), "report.xml")
    facts, _ = run(look(facts=[reported], host_is_the_runs=False), this_host)
    assert facts == []


def test_the_runs_own_process_by_its_command(
    look: Any, fake_nvml: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_nvml()
    words = {4321: ["python", "/data/train.py", "--config", "a.yaml"]}
    monkeypatch.setattr(this_host, "_words", words.__getitem__)
    seen = look(facts=[launch(), LogHits(last_time=time.time())], host_is_the_runs=True)
    _, told = run(seen, this_host)
    assert isinstance(told, Finding)
    assert told.outcome == "only-this-run"


def test_no_driver_is_a_skip(look: Any, fake_nvml: Any) -> None:
    fake_nvml(dead=True)
    facts, told = run(look(), this_host)
    assert facts == []
    assert isinstance(told, Skip)
    assert "Driver Not Loaded" in told.needs.en


def test_gpu_without_any_word_on_processes(look: Any, fake_nvml: Any) -> None:
    fake = fake_nvml(count=1)
    for kind in ("Compute", "MPSCompute", "Graphics"):
        delattr(fake, f"nvmlDeviceGet{kind}RunningProcesses")
    del fake.nvmlDeviceGetMemoryInfo
    _, told = run(look(host_is_the_runs=True), this_host)
    assert isinstance(told, Skip)
    assert told.needs.en == "the processes on the GPUs"


def test_a_process_without_a_size_is_not_blamed(look: Any, smi: Any) -> None:
    text = smi.table.replace("19456MiB |", "     N/A |").replace("   512MiB |", "     N/A |")
    _, told = run(report_of(look, text, FAILED))
    assert isinstance(told, Finding)
    assert told.outcome == "only-this-run"
    assert GpuProcess(4321, "/opt/my ollama serve", None)


def test_memory_errors_are_a_fault_where_the_log_tells_what_follows(look: Any, smi: Any) -> None:
    source = Source("train.log", 9)
    hit = Hit("cuda-error", "cuda-kernel-error", "root", source, {}, (0.0, 0, 9))
    for logs, fault in ((FAILED, False), (replace(FAILED, hits=(hit,)), True)):
        found = list(report.PROBE.run(report_of(look, smi.xml, logs)))
        told = {f.name: f.outcome for f in found if isinstance(f, Finding) and f.name in MEMORY}
        assert told.pop("gpu-memory-errors") == "remapping-failed"
        assert bool(told) == fault
