"""Checks that a single line answers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from medic.probes.logs import launch_checks, loss_scale, text_checks

from medic.facts import LogHits
from medic.run_config import Origin, RunConfig, Value

QUIET = "step 1/2 | loss 3.0\nstep 2/2 | loss 2.9\n"
TWO_RANKS = "[rank0] step 1 | loss 3.0\n[rank1] step 1 | loss 3.0\n"


@pytest.mark.parametrize(
    ("line", "check", "outcome"),
    [
        ("OSError: [Errno 98] Address already in use", "bind-error", "address-in-use"),
        ("OSError: [Errno 28] No space left on device: 'ckpt.pt'", "write-error", "no-space"),
        ("OSError: [Errno 122] Disk quota exceeded", "write-error", "quota-exceeded"),
        ("RuntimeError: File out/a.pt cannot be opened.", "write-error", "not-opened"),
        ("NCCL WARN Error while creating shared memory segment /dev/shm/nccl-x (size 9637888)", "write-error", "shared-memory"),
        ("[enforce fail at inline_container.cc:424] . unexpected pos 704 vs 598", "write-error", "cut-short"),
        ("ValueError: Duplicate keys in DeepSpeed config: ['gradient_clipping']", "config-message", "duplicate-key"),
        ("optim/adamw.py:41: TypeError: '<=' not supported between instances of 'float' and 'str'", "config-message", "number-as-text"),
        ("yaml.scanner.ScannerError: mapping values are not allowed here in \"train.yaml\"", "config-message", "unreadable"),
        ("Out of memory: Killed process 4242 (python)", "host-kill-record", "memory-recorded"),
        ("  exitcode  : -9 (pid: 662)", "host-kill-record", "killed-without-record"),
        ("NVRM: Xid (PCI:0000:07:00): 74, pid=1, NVLink: fatal error detected on link 3", "link-error", "gpu-link-fault"),
        ("_pickle.UnpicklingError: invalid load key, 'v'.", "load-message", "pointer-or-page"),
        ("safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge", "load-message", "no-such-header"),
        ("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", "load-message", "truncated"),
        ("_pickle.UnpicklingError: Weights only load failed. This file can still be loaded", "load-message", "refused"),
        ("RuntimeError: DataLoader worker (pid 71) is killed by signal: Killed.", "worker-exit", "killed"),
        ("RuntimeError: DataLoader worker (pid 71) is killed by signal: Bus error.", "worker-exit", "bus-error"),
        ("RuntimeError: DataLoader worker (pid 71) is killed by signal: Segmentation fault.", "worker-exit", "crashed"),
        ("RuntimeError: DataLoader worker (pid(s) 71, 72) exited unexpectedly", "worker-exit", "vanished"),
    ],
)  # fmt: skip
def test_a_line_answers_one_check(read: Any, line: str, check: str, outcome: str) -> None:
    found = read(line + "\n").ask(text_checks.PROBE)
    assert found[check].outcome == outcome
    assert found[check].source.line == 1
    quiet = read(f"- `{line}`: see the manual\n" + QUIET).ask(text_checks.PROBE)
    assert quiet[check].outcome == next(q.normal for q in text_checks.QUESTIONS if q.check == check)


# Of an answer of the model, or of a table of the data: none of them is the run's configuration.
STRANGERS = [
    ('yaml.scanner.ScannerError: mapping values are not allowed here\n  in "<unicode string>", line 3', "config-message"),
    ("    if row['score'] <= best:\nTypeError: '<=' not supported between instances of 'float' and 'str'", "config-message"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "check"), STRANGERS)
def test_what_is_doubted_once_is_not_told_by_a_second_check(
    read: Any, lines: str, check: str
) -> None:
    found = read(lines + "\n")
    assert any(hit.shared for hit in found[LogHits].hits)
    assert found.ask(text_checks.PROBE)[check].outcome == "none"


KILLED = "[Sun Mar  1 10:09:10 2026] Out of memory: Killed process 88123 ({name}) total-vm:900kB\n"


@pytest.mark.parametrize("name", ["jupyter-lab", "chrome", "java", "rsync"])
def test_another_program_that_the_kernel_killed_is_no_end_of_the_run(read: Any, name: str) -> None:
    found = read({"train.log": QUIET, "dmesg.txt": KILLED.format(name=name)})
    assert found.ask(text_checks.PROBE)["host-kill-record"].outcome == "not-killed"


@pytest.mark.parametrize("name", ["python", "pt_main_thread", "ray::Worker", "my_trainer"])
def test_what_may_be_of_the_run_stays_killed(read: Any, name: str) -> None:
    both = KILLED.format(name="chrome") + KILLED.format(name=name)
    dated = "".join(f"2026-03-01 10:09:0{i} {row}\n" for i, row in enumerate(QUIET.splitlines()))
    found = read({"train.log": dated, "dmesg.txt": both})
    told = found.ask(text_checks.PROBE)["host-kill-record"]
    assert told.outcome == "memory-recorded"
    assert name in told.source.text


def test_a_kill_of_the_pid_that_the_shell_names_needs_no_time(read: Any) -> None:
    ended = QUIET + "launch.sh: line 3: {pid} Killed                  python train.py\n"
    kernel = KILLED.format(name="python")
    for pid, outcome in ((88123, "memory-recorded"), (88124, "killed-without-record")):
        found = read({"train.log": ended.format(pid=pid), "dmesg.txt": kernel})
        assert found.ask(text_checks.PROBE)["host-kill-record"].outcome == outcome


def test_a_run_that_ended_well_cancels_its_lines(read: Any) -> None:
    text = "OSError: [Errno 98] Address already in use\n" + QUIET + "Training completed\n"
    assert read(text).ask(text_checks.PROBE)["bind-error"].outcome == "none"


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("RuntimeError: The client socket has timed out after 60s while trying to connect to (10.0.0.1, 29500).", "no-answer"),
        ("ValueError: environment variable MASTER_ADDR expected, but not set", "not-set"),
        ("[W socket.cpp:1] The IPv4 network addresses of (node9, 29500) cannot be retrieved (gai error: -2 - Name or service not known).", "name-unresolved"),
        ("torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 3/4 clients joined.", "some-never-joined"),
        (QUIET, "agrees"),
    ],
)  # fmt: skip
def test_rendezvous(read: Any, line: str, outcome: str) -> None:
    assert read(line + "\n").ask(launch_checks.PROBE)["rendezvous-address"].outcome == outcome


def test_localhost_across_nodes(read: Any) -> None:
    line = "RuntimeError: The client socket has timed out after 60s while trying to connect to (127.0.0.1, 29500).\n"
    config = RunConfig({"nodes": Value(2, Origin("given"))})
    found = read(line, facts=[config]).ask(launch_checks.PROBE)
    assert found["rendezvous-address"].outcome == "loopback-across-nodes"


@pytest.mark.parametrize(
    ("nodes", "line", "outcome"),
    [
        (2, "n1:1:2 [0] NCCL INFO Bootstrap : Using docker0:172.17.0.3<0>", "loopback-or-virtual"),
        (2, "n1:1:2 [0] NCCL INFO NET/Socket : Using [0]lo:127.0.0.1<0>", "loopback-or-virtual"),
        (2, "n1:1:2 [0] NCCL INFO Bootstrap : Using eth0:10.0.14.218<0>", "usable"),
        (1, "n1:1:2 [0] NCCL INFO Bootstrap : Using lo:127.0.0.1<0>", "usable"),
        (2, "NCCL WARN NET/Socket : no interface found", "no-such-interface"),
    ],
)
def test_interfaces(read: Any, nodes: int, line: str, outcome: str) -> None:
    config = RunConfig({"nodes": Value(nodes, Origin("given"))})
    found = read(line + "\n", facts=[config]).ask(launch_checks.PROBE)
    assert found["network-interface"].outcome == outcome


def test_devices(read: Any) -> None:
    line = "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 60\n"
    assert read(line).ask(launch_checks.PROBE)["rank-device-map"].outcome == "two-ranks-one-gpu"
    assert read(TWO_RANKS).ask(launch_checks.PROBE)["rank-device-map"].outcome == "distinct"
    assert "rank-device-map" not in read(QUIET).ask(launch_checks.PROBE)


def test_gpus_for_ranks(read: Any) -> None:
    text = TWO_RANKS + "[rank1]: RuntimeError: CUDA error: invalid device ordinal\n"
    assert read(text).ask(launch_checks.PROBE)["gpus-for-ranks"].outcome == "fewer-than-ranks"
    assert "gpus-for-ranks" not in read(QUIET).ask(launch_checks.PROBE)


def overflow(*scales: float) -> str:
    return "".join(
        f"[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {a:g}, reducing to {b:g}\n"
        for a, b in pairwise(scales)
    )


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (overflow(*[2.0**n for n in range(16, 3, -1)]), "collapses"),
        (overflow(2**32, 2**31, 2**30, 2**16), "steady"),
        ("".join(f"iteration {n} | lm loss: 3 | loss scale: {s}\n" for n, s in enumerate([65536, 4096, 256, 64, 16, 4, 1])), "collapses"),
        ("".join(f"iteration {n} | lm loss: 3 | loss scale: 1.0\n" for n in range(9)), "steady"),
        ("".join(f"iteration {n} | lm loss: 3 | loss scale: {s}\n" for n, s in enumerate([65536, 32768, 32768, 65536])), "steady"),
        (QUIET, "steady"),
    ],
)  # fmt: skip
def test_loss_scale(read: Any, text: str, outcome: str) -> None:
    assert read(text).ask(loss_scale.PROBE)["loss-scale"].outcome == outcome


@pytest.mark.parametrize("down_to", [0, 5])
def test_the_minimum_of_a_loss_scale_is_its_lowest_line(read: Any, down_to: int) -> None:
    falls = "".join(
        f"[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2**n}, "
        f"reducing to {2 ** (n - 1)}\n"
        for n in range(16, down_to, -1)
    )
    found = read(falls + "Exception: Current loss scale already at minimum - cannot decrease scale "
                 "anymore. Exiting run.\n").ask(loss_scale.PROBE)["loss-scale"]  # fmt: skip
    assert found.source.text.rstrip().endswith(f"reducing to {2**down_to}")
