"""Exceptions and ranks: where it was raised, who failed first, what the others waited in."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.logs import collective_ranks, exceptions, failing_rank

from medic.facts import LogHits
from medic.run_config import Origin, RunConfig, Value

QUIET = "step 1/2 | loss 3.0\nstep 2/2 | loss 2.9\n"
LIB = "/v/lib/python3.12/site-packages/torch/"


def trace(rank: int, frames: list[tuple[str, str, str]], last: str) -> str:
    lines = ["Traceback (most recent call last):"]
    for file, function, code in frames:
        lines += [f'  File "{file}", line 7, in {function}', f"    {code}"]
    return "".join(f"[rank{rank}]: {line}\n" for line in [*lines, last])


OWN = [("/job/train.py", "main", "loss = step(batch)")]
TORCH = [*OWN, (LIB + "nn/functional.py", "linear", "return _linear(x)")]
DATA = [*OWN, (LIB + "utils/data/dataloader.py", "__next__", "data = self._next()")]


@pytest.mark.parametrize(
    ("frames", "last", "place", "kind"),
    [
        (OWN, "KeyError: 'x'", "own-code", "programming-error"),
        (TORCH, "RuntimeError: mat1 and mat2 shapes cannot be multiplied", "library", "other"),
        (DATA, "ValueError: could not decode row 3", "data-loader", "bad-data"),
        (OWN, "FileNotFoundError: [Errno 2] No such file or directory: 'a'", "own-code", "missing-file"),
        (OWN, "ModuleNotFoundError: No module named 'flash_attn'", "own-code", "missing-file"),
        ([("/w/Megatron-LM/megatron/training/arguments.py", "f", "x")], "AssertionError", "library", "programming-error"),
        (TORCH, "AssertionError: FSDP requires even sharding here", "library", "other"),
        (OWN, "AssertionError: no rows in the split", "own-code", "programming-error"),
    ],
)  # fmt: skip
def test_exceptions(read: Any, frames: Any, last: str, place: str, kind: str) -> None:
    found = read(trace(0, frames, last)).ask(exceptions.PROBE)
    assert found["exception-place"].outcome == place
    assert found["exception-kind"].outcome == kind


def test_no_exception(read: Any) -> None:
    found = read(QUIET).ask(exceptions.PROBE)
    assert {f.outcome for f in found.values()} == {"none"}


# --- ranks ----------------------------------------------------------------------------------


def both(text: str) -> str:
    return "".join(f"[rank{r}] step 1 | loss 3.0\n" for r in (0, 1)) + text


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (both(trace(1, OWN, "KeyError: 1")), "died-before-others"),
        (both(trace(0, OWN, "KeyError: 1") + trace(1, OWN, "KeyError: 1")), "all-at-once"),
        (both("[rank0] step 2 | loss 2.9\nTraining completed\n"), "none"),
        (both("[rank1]:[E0101 10:00:00.0 P.cpp:1] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1000) ran for 1001 milliseconds before timing out.\n" + trace(0, OWN, "KeyError: 1")), "died-before-others"),
    ],
)  # fmt: skip
def test_who_failed_first(read: Any, text: str, outcome: str) -> None:
    assert read(text).ask(failing_rank.PROBE)["first-failing-rank"].outcome == outcome


@pytest.mark.parametrize(
    "error",
    [
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB.",
        "RuntimeError: CUDA error: device-side assert triggered",
        "OSError: [Errno 28] No space left on device",
    ],
)
def test_a_first_error_that_is_known_leads(read: Any, error: str) -> None:
    found = read(both(trace(1, OWN, error))).ask(failing_rank.PROBE)["first-failing-rank"]
    assert found.outcome == "died-of-known-error"
    assert found.value["rank"] == 1


def test_minutes_between_failures(read: Any) -> None:
    early = "2026-01-01 10:00:00,000 [rank0] INFO x\n" + trace(0, OWN, "KeyError: 1")
    late = "2026-01-01 10:08:00,000 [rank1] INFO x\n" + trace(1, OWN, "KeyError: 1")
    found = read({"rank0.log": early, "rank1.log": late}).ask(failing_rank.PROBE)
    assert found["first-failing-rank"].outcome == "died-before-others"
    assert found["first-failing-rank"].value["rank"] == 0


def test_one_rank_alone_tells_nothing(read: Any) -> None:
    assert not read(trace(0, OWN, "KeyError: 1")).ask(failing_rank.PROBE)


def timeout(
    rank: int, sequence: int = 9, size: int = 64, op: str = "ALLREDUCE", site: str = ""
) -> str:
    lines = [
        (
            f"[rank{rank}]:[E1127 20:57:19.08 P.cpp:689] [Rank {rank}] Watchdog caught collective "
            f"operation timeout: WorkNCCL(SeqNum={sequence}, OpType={op}, NumelIn={size}, NumelOut={size}"
            ", Timeout(ms)=600000) ran for 600004 milliseconds before timing out."
        ),
        (
            f"[rank{rank}]:[E1127 20:57:19.09 P.cpp:2303] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  "
            f"failure detected by watchdog at work sequence id: {sequence} PG status: last enqueued work: "
            f"{sequence + 1}, last completed work: {sequence - 1}"
        ),
    ]
    if site:
        lines += [
            f"[rank{rank}]:[E1127 20:57:20.0 P.cpp:733] Stack trace of the failed collective: ",
            f"#0 all_reduce from {LIB}distributed/distributed_c10d.py:3068",
            f"#1 main from {site}",
            "",
        ]
    return "\n".join(lines) + "\n"


STOPPED = """Failures:
[1]:
  rank      : 1 (local_rank: 1)
  exitcode  : -15 (pid: 42)
Root Cause (first observed failure):
[0]:
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 41)
"""


def steps_of(*ranks: int) -> str:
    return "".join(f"2026-11-27 20:40:00,000 [rank{r}] INFO step 5 | loss 3.0\n" for r in ranks)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (timeout(0, 9) + timeout(1, 8), "sequence-differs"),
        (timeout(0, 9, size=1024) + timeout(1, 8, size=96), "next-call-differs"),
        (timeout(0, 9, op="BROADCAST") + timeout(1, 8), "next-call-differs"),
        (timeout(0, 9, site="/a.py:3") + timeout(1, 8, size=9, site="/a.py:7"), "next-call-differs"),
        (timeout(0, 90, size=1024) + timeout(1, 8), "sequence-differs"),
        (timeout(0, site="/job/a.py:10") + timeout(1, site="/job/a.py:7"), "call-site-differs"),
        (timeout(0, size=4, site="/a.py:7") + timeout(1, size=8, site="/a.py:7"), "shape-differs-same-call"),
        (timeout(0, size=4) + timeout(1, size=8), "shape-differs"),
        (timeout(0, op="BROADCAST") + timeout(1), "shape-differs"),
        (timeout(0) + timeout(1), "same-on-all"),
        (steps_of(0, 1, 2) + timeout(0) + timeout(1), "one-rank-silent"),
        (steps_of(0, 1) + timeout(0) + STOPPED, "silent-rank-stopped"),
        (QUIET, "no-timeout"),
    ],
)  # fmt: skip
def test_what_each_rank_waited_in(read: Any, text: str, outcome: str) -> None:
    found = read(text).ask(collective_ranks.PROBE)
    assert found["collective-ranks"].outcome == outcome


def said(rank: int, clock: str, words: str) -> str:
    return f"2026-11-27 {clock},000 [rank{rank}] INFO {words}\n"


def dump_signal(rank: int, enqueued: int, completed: int) -> str:
    return (
        f"[rank{rank}]:[E1127 20:57:21.1 P.cpp:1914] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] "
        "Received a dump signal due to a collective timeout from  rank 0 and we will try our best. "
        f"Last enqueued NCCL work: {enqueued}, last completed NCCL work: {completed}.\n"
    )


COMPLETED = said(1, "20:41:00", "step 9 | loss 2.8") + said(1, "20:41:01", "training completed")
SEGFAULT = "[rank1] Fatal Python error: Segmentation fault\n"


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ("", "", "one-rank-silent"),
        ("", said(1, "20:58:00", "saved"), "silent-rank-alive"),
        ("", said(1, "20:58:00", "step 6 | loss 2.9"), "silent-rank-alive"),
        (said(1, "20:50:00", "saved"), "", "one-rank-silent"),
        ("", dump_signal(1, 8, 8), "silent-rank-answers"),
        (dump_signal(1, 8, 8), "", "silent-rank-answers"),
        ("", dump_signal(1, 9, 8), None),
        (COMPLETED, "", "sequence-differs"),
        (COMPLETED, said(0, "21:30:00", "training completed") + "exitcode : -6\n", "sequence-differs"),
        (said(1, "20:41:01", "training completed"), "", "silent-rank-alive"),
        (COMPLETED + said(1, "20:41:02", "saving the final checkpoint"), "", "silent-rank-alive"),
        (said(1, "20:41:01", "not yet: training is completed after 9 steps"), "", "one-rank-silent"),
        (SEGFAULT, "", "silent-rank-died"),
        ("[rank1] CUDA error: an illegal memory access was encountered\n", "", None),
        (SEGFAULT + said(1, "20:50:00", "step 6 | loss 2.9"), "", "one-rank-silent"),
    ],
)  # fmt: skip
def test_what_the_silent_rank_did(read: Any, before: str, after: str, outcome: str | None) -> None:
    seen = read(steps_of(0, 1) + before + timeout(0) + after + "exit code 1\n")
    found = seen.ask(collective_ranks.PROBE).get("collective-ranks")
    assert (found and found.outcome) == outcome


@pytest.mark.parametrize(
    ("text", "outcome", "place"),
    [
        (trace(1, DATA, "StopIteration") + timeout(0), "ran-out-of-batches", None),
        (trace(1, DATA, "StopIteration"), "died-before-others", None),
        (trace(1, DATA, "KeyError: 1") + timeout(0), "died-before-others", "data-loader"),
    ],
)
def test_a_rank_without_a_further_batch(
    read: Any, text: str, outcome: str, place: str | None
) -> None:
    found = read(both(text)).ask(failing_rank.PROBE)["first-failing-rank"]
    assert found.outcome == outcome
    raised = read(both(text)).ask(exceptions.PROBE).get("exception-place")
    assert (raised and raised.outcome) == place


def test_a_crash_without_a_traceback_is_a_failure_of_its_own(read: Any) -> None:
    seen = read(steps_of(0, 1, 2) + SEGFAULT + timeout(0) + timeout(2))
    found = seen.ask(failing_rank.PROBE)["first-failing-rank"]
    assert found.outcome == "died-before-others"
    assert found.value == {"rank": 1, "reason": "Fatal Python error: Segmentation fault"}


def test_an_abort_after_a_timeout_is_a_consequence(read: Any) -> None:
    abort = "[rank0] terminate called after throwing an instance of 'c10::DistBackendError'\n"
    seen = read(steps_of(0, 1) + timeout(0) + timeout(1) + abort)
    assert seen.ask(failing_rank.PROBE)["first-failing-rank"].outcome == "all-at-once"


def test_a_rank_that_never_wrote_is_silent_if_the_world_is_known(read: Any) -> None:
    config = RunConfig({"world_size": Value(4, Origin("given"))})
    found = read(timeout(0) + timeout(1) + timeout(2), facts=[config]).ask(collective_ranks.PROBE)
    assert found["collective-ranks"].outcome == "one-rank-silent"


def test_an_earlier_failure_explains_the_wait(read: Any) -> None:
    seen = read(steps_of(0, 1) + trace(1, OWN, "KeyError: 1") + timeout(0))
    assert "collective-ranks" not in seen.ask(collective_ranks.PROBE)
    assert seen.ask(failing_rank.PROBE)["first-failing-rank"].outcome == "died-before-others"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (steps_of(0, 1), "mid-training"),
        (steps_of(0, 1) + "2026-11-27 20:41:00,000 [rank0] INFO saving checkpoint at step 5\n", "serial-work"),
        ("2026-11-27 20:39:00,000 [rank0] INFO saving checkpoint at step 4\n" + steps_of(0, 1), "mid-training"),
    ],
)  # fmt: skip
def test_the_moment_of_a_timeout(read: Any, text: str, outcome: str) -> None:
    found = read(text + timeout(0) + timeout(1)).ask(collective_ranks.PROBE)
    assert found["timeout-moment"].outcome == outcome


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("evaluating on 4000 samples", "serial-work"),
        ("Loading dataset from cache", "serial-work"),
        ("正在保存检查点", "serial-work"),
        ("writing sharded checkpoint files", "serial-work"),
        ("tokenizing finished", "mid-training"),
    ],
)
def test_the_last_words_of_the_silent_rank(read: Any, words: str, outcome: str) -> None:
    busy = said(1, "20:40:00", words)
    late = said(0, "20:40:01", "step 6 | loss 2.9")
    found = read(steps_of(0, 1) + busy + late + timeout(0)).ask(collective_ranks.PROBE)
    assert found["timeout-moment"].outcome == outcome


def test_what_a_rank_says_after_the_timeout_was_not_before_it(read: Any) -> None:
    late = said(1, "20:58:00", "saving checkpoint to out")
    found = read(steps_of(0, 1) + timeout(0) + late).ask(collective_ranks.PROBE)
    assert found["timeout-moment"].outcome == "mid-training"


def test_all_that_arrived_at_the_first_collective_are_not_busy(read: Any) -> None:
    text = said(0, "20:30:00", "loading dataset") + timeout(0, 1) + timeout(1, 1)
    found = read(text).ask(collective_ranks.PROBE)
    assert found["timeout-moment"].outcome == "first-collective"


def test_the_first_collective(read: Any) -> None:
    found = read(timeout(0, 1) + timeout(1, 1)).ask(collective_ranks.PROBE)
    assert found["timeout-moment"].outcome == "first-collective"


OF_ITS_OWN = [
    "Traceback (most recent call last):",
    '  File "/job/train.py", line 210, in <module>',
    "    main()",
    '  File "/job/data.py", line 44, in __getitem__',
    "    return self.rows[i]",
    "IndexError: index 5120 is out of bounds for axis 0 with size 5000",
]
OF_ANOTHER = [
    "Traceback (most recent call last):",
    '  File "/job/train.py", line 190, in main',
    "    dist.all_reduce(t)",
    "RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:41522",
]


def interleaved(prefix: str) -> str:
    """Writer 3 raises; the others' tracebacks begin within its own, and end behind it."""
    lines = [
        prefix.format(r=r) + f"step {n} loss 2.{9 - n}" for n in range(1, 5) for r in (2, 0, 3, 1)
    ]
    rows = {
        r: [prefix.format(r=r) + line for line in (OF_ITS_OWN if r == 3 else OF_ANOTHER)]
        for r in range(4)
    }
    lines += [rows[3].pop(0)]
    while any(rows.values()):
        lines += [rows[r].pop(0) for r in (2, 3, 0, 1) if rows[r]]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("{r}: ", 3), ("[rank{r}]: ", 3), ("[default{r}]:", 3), ("[1,{r}]<stderr>: ", 3), ("[{r}] ", 3),
        ("rank {r}: ", 3), ("2026-03-01T10:00:00.123Z [rank{r}] ", 3), ("node{r}: ", "node3"),
        ("(RayWorker pid=400{r}, ip=10.0.0.{r}) ", "RayWorker pid=4003, ip=10.0.0.3"),
        ("gpu-node-{r}  | ", "gpu-node-3"), ("[pod/llm-worker-{r}/pytorch] ", "pod/llm-worker-3/pytorch"),
    ],
)  # fmt: skip
def test_the_first_to_fail_among_interleaved_lines(read: Any, prefix: str, name: object) -> None:
    found = read(interleaved(prefix)).ask(failing_rank.PROBE)["first-failing-rank"]
    assert found.outcome == "died-before-others"
    assert found.value["rank"] == name
    assert found.value["reason"].startswith("IndexError: index 5120")


def test_a_host_that_fails_alone_in_its_log_is_no_first(read: Any) -> None:
    """Nothing was seen of it by another writer: whether it was the first is not known."""
    lines = [f"node{r}: step {n} loss 2.0" for n in range(4) for r in (1, 0)]
    lines += ["node1: " + line for line in OF_ITS_OWN]
    assert "first-failing-rank" not in read("\n".join(lines) + "\n").ask(failing_rank.PROBE)


EPOCH_OVER = said(1, "20:41:01", "epoch 0 finished: 3994 batches on this rank")


def in_backward(rank: int) -> str:
    return timeout(rank, size=25_165_824)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (EPOCH_OVER + in_backward(0), True),
        (said(1, "20:41:01", "leaving train loop, waiting for the others") + in_backward(0), True),
        (said(1, "20:41:01", "dataloader exhausted") + in_backward(0), True),
        (said(1, "20:41:01", "第 1 轮训练结束") + in_backward(0), True),
        # A metric or a barrier: the others may have left the loop as well, and say nothing of it.
        (EPOCH_OVER + timeout(0, size=1), False),
        # Both ended the epoch; one of them died in the next.
        (
            EPOCH_OVER + said(0, "20:41:01", "epoch 0 finished: 3994 batches") + in_backward(0),
            False,
        ),
        (said(1, "20:41:01", "saved") + in_backward(0), False),
    ],
)
def test_a_rank_that_says_its_batches_are_over_left_the_loop(
    read: Any, text: str, left: bool
) -> None:
    found = read(steps_of(0, 1) + text).ask(collective_ranks.PROBE)
    assert ("busy-rank" in found) is left


def test_a_rank_that_waits_is_not_through_when_another_is(read: Any) -> None:
    seen = read(steps_of(0, 1) + said(1, "20:41:01", "training finished") + in_backward(0))
    assert seen[LogHits].ended == "badly"
