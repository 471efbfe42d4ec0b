"""Rank, time and message of log lines."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from medic.probes.logs.clock import Clock, of_file
from medic.probes.logs.prefix import Prefixes, label_of, message, rank_of_file

from medic.facts import LogHits

NOON = 1795780800.0  # 2026-11-27 12:00:00 UTC


@pytest.fixture(autouse=True, scope="module")
def utc() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("line", "rank", "body"),
    [
        ("[rank3]: RuntimeError: x", 3, "RuntimeError: x"),
        ('[default0]:[rank8]:   File "a.py"', 8, '  File "a.py"'),
        ("[default1]:hello", 1, "hello"),
        ("2026-11-27 12:00:00,000 [rank2] INFO x", 2, "2026-11-27 12:00:00,000 [rank2] INFO x"),
        ("[2026-11-27 12:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 5] step=10", 5, None),
        ("[rank1]:[E1127 12:00:00.000 ProcessGroupNCCL.cpp:689] [Rank 1] Watchdog", 1, None),
        ("[PG ID 0 PG GUID 0(default_pg) Rank 7]  failure", 7, None),
        ("[1,4]<stderr>:lost", 4, "lost"),
        ("rank 6 step 9", 6, "rank 6 step 9"),
        ("node1:211:305 [2] NCCL INFO Bootstrap", 2, None),
        ("(TrainWorker pid=71, ip=10.0.0.1) KeyError: 'a'", None, "KeyError: 'a'"),
        ("a line without any", None, "a line without any"),
    ],
)
def test_ranks(line: str, rank: int | None, body: str | None) -> None:
    read = Prefixes().read(line)
    assert read.rank == rank
    assert body is None or read.body == body


def test_a_local_rank_is_translated_once_a_line_tells_both() -> None:
    prefixes = Prefixes()
    assert prefixes.read("[default0]:before").rank == 0
    prefixes.read("[default0]:[rank8]: Traceback")
    assert prefixes.read("[default0]:after").rank == 8


def test_labels_of_srun() -> None:
    label = label_of([f"{n}: step {n}" for n in range(8)])
    read = Prefixes(label=label).read("12: lost")
    assert (read.rank, read.body) == (12, "lost")


@pytest.mark.parametrize("sign", [":", "  |"])
def test_labels_of_hosts(sign: str) -> None:
    label = label_of([f"worker-{n % 2}{sign} [rank{n}]: words" for n in range(8)])
    read = Prefixes(label=label).read(f"worker-1{sign} [rank9]:   File")
    assert (read.rank, read.body) == (9, "  File")
    assert read.stream.startswith("worker-1")


@pytest.mark.parametrize(
    "lines",
    [
        ["Traceback", "  0: x", "words", "more", "and more"],
        [f"step: {n} loss: 2.{n}" for n in range(9)],
        ["INFO: a", "INFO: b", "WARNING: c", "INFO: d", "INFO: e"],
        [f"2026-01-01 10:00:0{n},000 words" for n in range(9)],
        ["1: a"],
    ],
)
def test_lines_without_a_label(lines: list[str]) -> None:
    assert label_of(lines) is None


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-27 12:00:00,000 x",
        "2026-11-27T12:00:00.000Z x",
        "[2026/11/27 12:00:00] x",
        "11/27/2026 12:00:00 - INFO - x",
        "[rank0]:[E1127 12:00:00.000000 ProcessGroupNCCL.cpp:689] x",
        "[rank0]:[E1127 12:00:00.0 ProcessGroupNCCL.cpp:689] x",
        "W1127 12:00:00.000000 652 torch/distributed/elastic/api.py:10] x",
        "[rank0]:[E1127 12:00:00 ProcessGroupNCCL.cpp:632] x",
        "I20261127 12:00:00.000000 652 service.cc:12] x",
        "[ERROR] ME(1234:140,MainProcess):2026-11-27-12:00:00.000.000 [mindspore/a.py:1] x",
        "[11/27/26 12:00:00] INFO     x",
        "(EngineCore_0 pid=71) INFO 11-27 12:00:00 [core.py:12] x",
        "[五 11月 27 12:00:00 2026] x",
        "Fri Nov 27 12:00:00 PM UTC 2026",
        "Fri 27 Nov 2026 12:00:00 PM UTC",
        "[27/Nov/2026:12:00:00 +0000] x",
        "<3>[Fri Nov 27 12:00:00 2026] x",
    ],
)
def test_times(line: str) -> None:
    assert Prefixes(clock=Clock(2026)).read(line).time == NOON


@pytest.mark.parametrize(
    ("sign", "date"),
    [
        ("E302", "03-02"),
        ("E0302", "03-02"),
        ("W211", "02-11"),
        ("E102", "01-02"),
        ("E1002", "10-02"),
    ],
)
def test_dates_of_pytorch_have_three_digits_until_september(sign: str, date: str) -> None:
    at = f"2026-{date} 10:21:20,000 x"
    line = f"[rank0]:[{sign} 10:21:20.000 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog"
    assert Prefixes(clock=Clock(2026)).read(line).time == Prefixes().read(at).time


@pytest.mark.parametrize("sign", ["E1302", "E45", "E000", "SE302"])
def test_no_dates_of_pytorch(sign: str) -> None:
    assert Prefixes(clock=Clock(2026)).read(f"[{sign} 10:21:20.000 a.cc:1] x").time is None


@pytest.mark.parametrize("line", ["E302 apples 10:21:20 x", "loss E722 10:31:00 steps"])
def test_no_dates_without_the_place_in_the_source(line: str) -> None:
    assert Prefixes(clock=Clock(2026)).read(line).time is None


@pytest.mark.parametrize(
    "line",
    [
        "1795780800.123456 node-3 kernel: x",
        "[1795780800.123456] kernel: x",
        '{"timestamp": 1795780800.123456, "message": "x"}',
        '{"level": "info", "ts": 1795780800123, "msg": "x"}',
    ],
)
def test_seconds_since_1970(line: str) -> None:
    assert Prefixes().read(line).time == pytest.approx(1795780800.123, abs=0.01)


@pytest.mark.parametrize(
    "line",
    [
        "[    2.500000] rtc_cmos 00:03: setting system clock to 2026-11-27T12:00:00 UTC (1795780800)",
        "[    2.500000] audit: type=2000 audit(1795780800.000:1): state=initialized",
    ],
)
def test_seconds_since_the_boot_once_its_time_is_told(line: str) -> None:
    prefixes, fault = Prefixes(), "[ 3602.500000] NVRM: Xid (PCI:0000:9c:00): 79, x"
    assert prefixes.read(fault).time is None
    prefixes.read(line)
    assert prefixes.read(fault).time == 1795780800.0 + 3600


def test_no_line_is_later_than_its_file() -> None:
    lines = ["E1231 23:59:59.000 1 a.cc:1] x", "E0101 00:00:01.000 1 a.cc:1] x"]
    written = 1799020800.0  # 2027-01-04
    clock = of_file(lines, written)
    first, then = (clock.read(line) for line in (*lines, lines[0])[:2])
    assert first is not None
    assert then is not None
    assert then - first == 2
    assert 0 < written - then < 5 * 86400


def test_writers_may_take_turns_at_the_new_year() -> None:
    clock = of_file(["2026-12-31 23:59:00 x"], 0.0)
    old, new = "E1231 23:59:59.000 1 a.cc:1] x", "E0101 00:00:01.000 1 a.cc:1] x"
    told = [clock.read(line) for line in (old, new, old, new)]
    assert told[:2] == told[2:]


def test_glog_takes_the_year_of_the_lines_before() -> None:
    prefixes = Prefixes(clock=Clock(1999))
    prefixes.read("2026-11-27 11:00:00,000 x")
    assert prefixes.read("E1127 12:00:00.000 1 a.cc:1] x").time == NOON


@pytest.mark.parametrize(
    "line", ["  time      : 2026-11-27_12:00:00", "9999-99-99 12:00:00 x", "12:00"]
)
def test_no_time(line: str) -> None:
    assert Prefixes().read(line).time is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("2026-11-27 12:00:00,000 [rank0] INFO train: step 1", "step 1"),
        ("INFO:root: done", "root: done"),
        ("2026-05-01 10:00:01,000 INFO step: 1/100 loss: 3.0", "step: 1/100 loss: 3.0"),
        ("[2026-11-27 12:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10", "step=10"),
        ("loss: 3.2", "loss: 3.2"),
        ("{'loss': 2.5}", "{'loss': 2.5}"),
    ],
)
def test_the_message_of_a_line(body: str, words: str) -> None:
    assert message(body) == words


@pytest.mark.parametrize(
    ("path", "rank"),
    [
        ("logs/rank0.stderr.log", 0),
        ("out/rank_12.log", 12),
        ("a/log_3.txt", 3),
        ("run/none_x1/attempt_0/5/stdout.log", 5),
        ("slurm-991_2.out", 2),
        ("slurm-991.out", None),
        ("rank1_dies_first/train.log", None),
        ("runs/rank0_only/train.log", None),
        ("train.log", None),
        ("7/train.log", 7),
        ("2026/notes.log", None),
    ],
)
def test_ranks_of_files(path: str, rank: int | None) -> None:
    assert rank_of_file(path) == rank


@given(st.text(max_size=200))
def test_any_line_is_read(line: str) -> None:
    read = Prefixes(label=label_of(["1: a"] * 9)).read(line)
    assert line.endswith(read.body)
    message(read.body)


STEPS = [f"step {n} loss 2.{9 - n}" for n in range(1, 5)]


def _turns(prefix: str) -> list[str]:
    """Four writers that take turns, as launchers interleave them."""
    order = [2, 0, 3, 1]
    return [prefix.format(r=r) + line for line in STEPS for r in order]


@pytest.mark.parametrize(
    "prefix",
    ["{r}: ", " {r}: ", "rank{r}: ", "RANK {r}: ", "[rank {r}] ", "[Rank {r}] ", "rank={r} ", "[{r}] ", "[{r}]: ",
     "[proc {r}] ", "[trainer{r}]:", "Worker {r}: ", "[GPU{r}] ", "r{r}: ", "node1:{r}: ", "(rank {r}) "],
)  # fmt: skip
def test_a_rank_in_front_of_every_line(prefix: str) -> None:
    label = label_of(_turns(prefix))
    read = Prefixes(label=label).read(prefix.format(r=3) + '  File "/job/train.py", line 3')
    assert (read.rank, read.body.strip()) == (3, 'File "/job/train.py", line 3')
    assert read.body.startswith(" ")  # a frame is known by it


@pytest.mark.parametrize(
    "lines",
    [
        [f"[{n}] step loss 2.0" for n in range(1, 20)],  # steps
        [f"[{n // 5}] loss 2.{n}" for n in range(20)],  # epochs
        [
            f"worker-{n % 3}: words" for n in (0, 2, 1, 2, 0, 1, 2, 0)
        ],  # hosts: of several ranks each
        ["epoch 1 loss 2", "epoch 1 loss 3", "epoch 2 loss 1", "epoch 1 loss 4", "epoch 2 x"],
    ],
)
def test_numbers_that_are_no_ranks(lines: list[str]) -> None:
    label = label_of(lines)
    assert Prefixes(label=label).read(lines[0]).rank is None


def test_a_device_is_no_rank_on_the_second_node(read: Any) -> None:
    """NCCL's lines name the device of their node; the launcher's report tells both numbers."""
    words = "".join(
        f"node1:22{n}:22{n} [{n}] NCCL WARN Call to connect returned Connection refused\n"
        for n in (0, 3)
    )
    report = "[0]:\n  time      : 2026-03-20_11:52:40\n  host      : node1\n  rank      : {rank} (local_rank: 3)\n  exitcode  : 1 (pid: 71)\n"
    for rank, ranks in ((11, {8, 11}), (3, {0, 3})):
        found = read({"node1.log": words + report.format(rank=rank)})
        assert {h.source.rank for h in found[LogHits].hits if "NCCL" in h.source.text} == ranks
        assert set(found[LogHits].ranks) == ranks


DEVICE = "{}:20112:20440 [3] NCCL WARN Call to connect returned Connection refused\n".format
FAR = "[rank24]: torch.distributed.DistBackendError: NCCL error in: x.cpp:2077\n"


@pytest.mark.parametrize(
    ("files", "rank", "ranks"),
    [
        ({"gpu14.out": DEVICE("gpu14")}, 3, {3}),  # the only node
        ({"gpu11.out": DEVICE("gpu11"), "gpu14.out": DEVICE("gpu14")}, None, set()),
        ({"all.out": DEVICE("gpu11") + DEVICE("gpu14")}, None, set()),
        ({"gpu14.out": DEVICE("gpu14") + FAR}, None, {24}),
        ({"gpu14.out": "[rank3]: hello\n" + DEVICE("gpu14") + FAR}, None, {3, 24}),
        ({"rank27.log": DEVICE("gpu14"), "rank3.log": DEVICE("gpu11")}, {27, 3}, {3, 27}),
    ],
)
def test_a_device_of_one_of_several_nodes_is_no_rank(
    read: Any, files: dict[str, str], rank: int | set[int] | None, ranks: set[int]
) -> None:
    logs = read(files)[LogHits]
    told = {h.source.rank for h in logs.hits if "NCCL WARN" in h.source.text}
    assert told == (rank if isinstance(rank, set) else {rank})
    assert set(logs.ranks) == ranks
