"""A long pasted text: each line is read as words once, all of it is scanned, at a linear cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.case.pasted import MAX_PARTS, prose_of, split_text
from medic.index.knowledge import load
from medic.match import gist, printed, split_paste
from medic.match.paste import WORDS
from medic.session.consultation import Session
from medic.told.understood import Told

OOM = "CUDA out of memory. Tried to allocate 2.50 GiB"
SAID = "I think that run {n} is slow and we do not know why it is so."
LOGGED = "2024-01-01 00:00:00 INFO step {n}"


def test_a_line_is_read_once_and_a_long_text_at_its_ends() -> None:
    assert gist("a\nb\n\na\n\nc") == "a\nb\n\n\nc"
    long = "".join(f"word {n}\n" for n in range(20_000))
    kept = gist(long)
    assert len(kept) == 2 * WORDS + 1
    assert kept.startswith("word 0\n")
    assert kept.endswith("word 19999\n")


def test_repetitions_of_a_printed_line_are_printed() -> None:
    text = "\n".join([OOM] * 300)
    index = load()
    assert len(printed(text, index)) == 300
    assert [f.kind for f in split_paste(text, printed(text, index))] == ["log"]
    assert prose_of(text, index) == ""


def test_a_description_repeated_is_one_description() -> None:
    told = Told(load())
    told.describe("my loss is nan\n" * 5_000)
    assert told.words == "my loss is nan"


def test_many_parts_become_one_and_keep_their_lines() -> None:
    rows = [row.format(n=n) for n in range(1_000) for row in (SAID, LOGGED)]
    parts, files = split_text("\n".join(rows))
    assert len(parts) == len(files) <= MAX_PARTS + 1
    for part in parts.values():
        for number, line in enumerate(part.split("\n")):
            assert not line or line == rows[number]
    logged = [line for part in parts.values() for line in part.split("\n") if line]
    assert logged == rows[1::2]


def test_a_line_of_the_kernel_log_is_a_log_line() -> None:
    assert split_paste("gpu-node-7 kernel: NVRM: Xid (PCI:0000:3b:00): 79")[0].kind == "log"


SUMMARY = """\
[rank0]: Traceback (most recent call last):
[rank0]:   File "train.py", line 9, in main
[rank0]:     raise RuntimeError(f"loss is NaN at step {step}")
[rank0]: RuntimeError: loss is NaN at step 40
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 985)
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
"""


def test_a_launchers_summary_is_no_word_of_a_person() -> None:
    assert [f.kind for f in split_paste(SUMMARY)] == ["log"]
    said = split_paste(f"{SUMMARY}it is always the same step\n")
    assert [f.kind for f in said] == ["log", "prose"]


def test_a_pasted_log_is_read_as_one_in_a_file(tmp_path: Path) -> None:
    """A guard of the script that names the symptom is no mistake of the code, either."""
    index, log = load(), tmp_path / "train.log"
    log.write_text(SUMMARY)
    pasted = Session(index, collect([], text=SUMMARY, index=index, this_host=False))
    filed = Session(index, collect([str(log)], index=index, this_host=False))
    leaders = []
    for session in (pasted, filed):
        session.look()
        leaders.append(session.diagnosis().causes[0].name)
    assert leaders[0] == leaders[1] != "uncaught-exception"


DIED = """(TaskRunner pid=1) step:41 - actor/entropy:0.312 - critic/score/mean:0.51
ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
\tclass_name: create_colocated_worker_cls.<locals>.WorkerDict
\tactor_id: 91e
\tThe actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR. There are \
some potential root causes. (1) The process is killed by SIGKILL by OOM killer.
(WorkerDict pid=3301) *** SIGSEGV received at time=1741010101 on cpu 31 ***
"""


def test_the_fields_of_an_exception_belong_to_it(tmp_path: Path) -> None:
    assert [f.kind for f in split_paste(DIED)] == ["log"]
    log = tmp_path / "x.log"
    log.write_text(DIED)
    assert [f.name for f in collect([str(log)], index=load()).files] == [str(log)]
    # A person's settings below a message without fields stay settings.
    said = split_paste("ValueError: bad rate\n\nlearning_rate: 0.1\nwarmup_steps: 10\nseed: 1\n")
    assert [f.kind for f in said] == ["log", "config"]


def test_what_a_program_says_in_words_is_no_word_of_a_person() -> None:
    """Before the steps, between them, and of a bar that grows."""
    steps = "".join(f"iter {n}: loss {9 - n / 10:.4f}, time 250.11ms\n" for n in range(40))
    start = "Initializing a new model from scratch\ncompiling the model... (takes a ~minute)\n"
    bars = "".join(f"{n}|Loss: 1.8{n}:  0%|{'#' * n} | {n}/400\n" for n in range(1, 20))
    for text in (start + steps, steps + start + steps, bars):
        assert {f.kind for f in split_paste(text)} == {"log"}
    asked = f"Why does it hang after this line, what is wrong with my run?\n{steps}"
    assert [f.kind for f in split_paste(asked)] == ["prose", "log"]


WATCHDOG = """\
[rank1]:[E1127 20:57:19.082457635 ProcessGroupNCCL.cpp:689] [Rank 1] Watchdog caught collective \
operation timeout: WorkNCCL(SeqNum=47, OpType=ALLREDUCE, Timeout(ms)=20000) ran for 20095 milliseconds.
{between}
[rank1]:[E1127 20:57:19.082861121 ProcessGroupNCCL.cpp:681] [Rank 1] Exception (either an error or \
timeout) detected by watchdog at work: 47, last enqueued NCCL work: 47.
"""


@pytest.mark.parametrize(
    ("between", "kinds"),
    [
        ("To avoid data inconsistency, we are taking the entire process down.", ["log"]),
        (
            "The process is taken down: data stay consistent across all (2) ranks.",
            ["log"],
        ),
        ("this is after I set the timeout to 20 seconds", ["log", "prose", "log"]),
        ("and then it hangs until the job is killed", ["log", "prose", "log"]),
        ("之后就一直卡住", ["log", "prose", "log"]),
    ],
)
def test_what_stands_between_two_log_lines_is_a_persons_if_it_speaks_or_complains(
    between: str, kinds: list[str]
) -> None:
    assert [f.kind for f in split_paste(WATCHDOG.format(between=between))] == kinds


def test_what_python_ignored_as_it_ended_is_no_word_of_a_person() -> None:
    from medic.match.paste import split_paste

    (only,) = split_paste("Exception ignored in: <function _ConnectionBase.__del__>")
    assert only.kind == "log"
    (said,) = split_paste("The exception ignored in my loop was the reason of it all.")
    assert said.kind == "prose"
