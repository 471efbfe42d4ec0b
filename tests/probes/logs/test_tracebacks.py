"""Tracebacks, joined whatever stands between their lines."""

from __future__ import annotations

from typing import Any

import pytest

from medic.facts import LogHits, Ranks, Tracebacks

PLAIN = """Traceback (most recent call last):
  File "/job/train.py", line 9, in <module>
    main()
  File "/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1779, in _call_impl
    return forward_call(*args)
           ^^^^^^^^^^^^^^^^^^^
ValueError: seven is not eight: 3
"""

WORKER = """[rank1]: Traceback (most recent call last):
[rank1]:   File "/job/train.py", line 4, in <module>
[rank1]:     main()
[rank1]:   File "/venv/lib/python3.12/site-packages/torch/_utils.py", line 785, in reraise
[rank1]:     raise exception
[rank1]: KeyError: Caught KeyError in DataLoader worker process 2.
[rank1]: Original Traceback (most recent call last):
[rank1]:   File "/venv/lib/python3.12/site-packages/torch/utils/data/_utils/fetch.py", line 54, in f
[rank1]:     data = [self.dataset[i] for i in index]
[rank1]:   File "/job/data.py", line 66, in __getitem__
[rank1]:     return row["text"]
[rank1]: KeyError: 'text'
"""


def test_a_plain_traceback(read: Any) -> None:
    (tb,) = read(PLAIN)[Tracebacks].all
    assert (tb.exception, tb.message) == ("ValueError", "seven is not eight: 3")
    assert [(f.line, f.function) for f in tb.frames] == [(9, "<module>"), (1779, "_call_impl")]
    assert tb.frames[0].code == "main()"
    assert (tb.first_line, tb.source.line) == (1, 7)
    assert tb.uncaught
    assert not tb.victim


def test_ranks_that_write_into_each_other(read: Any) -> None:
    one = [f"[rank0]: {line}" for line in PLAIN.splitlines()]
    other = [f"[rank1]: {line}" for line in PLAIN.replace("3", "7").splitlines()]
    mixed = [line for pair in zip(one, other, strict=True) for line in pair]
    found = read("\n".join(mixed))[Tracebacks].all
    assert {(t.source.rank, t.message[-1]) for t in found} == {(0, "3"), (1, "7")}


def test_log_lines_of_others_between_unprefixed_lines(read: Any) -> None:
    lines = PLAIN.splitlines()
    lines[3:3] = ["2026-01-01 10:00:00,000 INFO step 3 done", "some words of another process"]
    (tb,) = read("\n".join(lines))[Tracebacks].all
    assert tb.exception == "ValueError"


def test_the_worker_s_own_exception_is_the_failure(read: Any) -> None:
    seen = read(WORKER)
    (tb,) = seen[Tracebacks].all
    assert (tb.exception, tb.message, tb.worker) == ("KeyError", "'text'", True)
    assert tb.frames[-1].function == "__getitem__"
    assert seen[Ranks].first.rank == 1
    assert "python-exception" not in seen.findings  # the data loader's signature says it


def test_a_chain_ends_with_its_last_exception(read: Any) -> None:
    text = PLAIN + (
        "\nDuring handling of the above exception, another exception occurred:\n\n"
        + PLAIN.replace("ValueError: shapes", "RuntimeError: cleanup")
    )
    first, last = read(text)[Tracebacks].all
    assert (first.uncaught, last.uncaught) == (False, True)


def test_a_logged_exception_after_which_steps_go_on(read: Any) -> None:
    text = "step 1/9 | loss 3.0\n" + PLAIN + "step 2/9 | loss 2.9\nstep 9/9 | loss 2.0\n"
    seen = read(text)
    assert not seen[Tracebacks].all[0].uncaught
    assert seen[LogHits].ended == "well"
    assert not seen.findings


FAILED = (
    "Root Cause (first observed failure):\n[0]:\n  rank      : 0 (local_rank: 0)\n"
    "  exitcode  : 1 (pid: 15770)\n"
    "E1128 14:27:39.912000 15576 torch/distributed/elastic/multiprocessing/api.py:1002] "
    "failed (exitcode: 1) local_rank: 0 (pid: 15770) of binary: python\n"
)


@pytest.mark.parametrize(
    ("before", "after", "uncaught"),
    [
        (range(1, 9), range(9, 10), True),  # passed on late
        (range(0), range(1, 10), True),  # all of the standard output comes behind
        (range(1, 9), range(9, 40), False),
        (range(1, 60), range(60, 63), True),
    ],
)
def test_lines_that_a_launcher_passes_on_late_excuse_nothing(
    read: Any, before: range, after: range, uncaught: bool
) -> None:
    """Of a rank that failed: torchrun copies its two streams in no order."""
    steps = ["".join(f"step {n}/99 | loss 3.0\n" for n in part) for part in (before, after)]
    seen = read(steps[0] + PLAIN + steps[1] + FAILED)
    assert seen[Tracebacks].all[0].uncaught is uncaught
    assert seen[LogHits].ended == "badly"


def test_the_last_of_two_exceptions_is_the_failure(read: Any) -> None:
    steps = "".join(f"step {n}/99 | loss 3.0\n" for n in range(1, 9))
    last = PLAIN.replace("ValueError: shapes", "KeyError: shapes")
    seen = read(PLAIN + steps + last + "step 9/99 | loss 3.0\n" + FAILED)
    assert [t.uncaught for t in seen[Tracebacks].all] == [False, True]


def test_an_exception_in_another_file_is_not_excused_by_steps(read: Any) -> None:
    steps = (
        "2026-01-01 10:00:00,000 step 1/9 | loss 3.0\n2026-01-01 10:05:00,000 step 2/9 | loss 3\n"
    )
    seen = read({"0/stdout.log": steps, "0/stderr.log": PLAIN})
    assert seen[LogHits].ended == "badly"
    assert seen.findings["python-exception"].value["exception"] == "ValueError"


@pytest.mark.parametrize(
    ("before", "uncaught"),
    [
        ("Exception in thread Thread-1 (_pin_memory_loop):\n", False),
        ("Exception ignored in: <function A.__del__ at 0x7f>\n", False),
        ("some words\n", True),
    ],
)
def test_threads_and_finalizers_end_no_process(read: Any, before: str, uncaught: bool) -> None:
    assert read(before + PLAIN)[Tracebacks].all[0].uncaught is uncaught


@pytest.mark.parametrize(
    ("last", "exception", "victim"),
    [
        ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
         "ChildFailedError", True),
        ("torch.distributed.DistBackendError: [1] is setting up NCCL communicator: Broken pipe",
         "DistBackendError", True),
        ("torch.OutOfMemoryError: CUDA out of memory.", "OutOfMemoryError", False),
        ("socket.timeout: timed out", "timeout", False),
        ("_pickle.UnpicklingError: pickle data was truncated", "UnpicklingError", False),
        ("AssertionError", "AssertionError", False),
    ],
)  # fmt: skip
def test_last_lines(read: Any, last: str, exception: str, victim: bool) -> None:
    (tb,) = read(PLAIN.replace("ValueError: seven is not eight: 3", last))[Tracebacks].all
    assert tb.exception.rpartition(".")[2] == exception
    assert tb.victim is victim


def test_an_interrupt_is_no_failure(read: Any) -> None:
    seen = read(
        "step 1/9 | loss 3\n"
        + PLAIN.replace("ValueError: seven is not eight: 3", "KeyboardInterrupt")
    )
    assert not seen[Tracebacks].all[0].uncaught
    assert seen[LogHits].ended == "unknown"


def test_frames_of_rich(read: Any) -> None:
    text = (
        "╭──────── Traceback (most recent call last) ────────╮\n"
        "│ /job/train.py:12 in main                          │\n"
        "│                                                   │\n"
        "│ ❱ 12     run()                                    │\n"
        "╰───────────────────────────────────────────────────╯\n"
        "KeyError: 'loss'\n"
    )
    (tb,) = read(text)[Tracebacks].all
    assert (tb.exception, tb.frames[0].line) == ("KeyError", 12)


def test_what_no_signature_tells_is_an_exception_of_its_own(read: Any) -> None:
    found = read(PLAIN).findings["python-exception"]
    assert found.value == {"exception": "ValueError", "message": "seven is not eight: 3"}
    assert found.source.line == 7


def test_a_signature_tells_it_better(read: Any) -> None:
    text = PLAIN.replace(
        "ValueError: seven is not eight: 3", "OSError: [Errno 28] No space left on device"
    )
    assert "python-exception" not in read(text).findings


def test_what_the_launcher_says_next_is_no_part_of_the_message(read: Any) -> None:
    text = "".join(f"[rank9]: {line}\n" for line in PLAIN.splitlines())
    text += "[2026-01-01 10:00:40,000] [INFO] [launch.py:319:x] Killing subprocess 200\n"
    assert read(text).findings["python-exception"].source.rank == 9


def test_the_launcher_s_traceback_is_a_consequence(read: Any) -> None:
    text = PLAIN.replace(
        "ValueError: seven is not eight: 3",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
    )
    seen = read(text)
    assert "python-exception" not in seen.findings
    assert seen[LogHits].ended == "badly"
