"""Folders of several nodes, launches and machines, as launchers leave them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from medic.probes.logs import collective_ranks, failing_rank, recurrence

from medic.case.collect import collect
from medic.facts import Attempts, LogHits, Ranks, Tracebacks


def steps(day: int = 27, hour: int = 11, last: int = 5, lead: str = "", at: int = 0) -> str:
    return "".join(
        f"{lead}2026-11-{day} {hour:02d}:00:{5 * n:02d},{100 + at} INFO train: step {10 * n}/1000 | "
        f"loss {6 - 0.3 * n:.3f} | lr 1.0e-4 | grad_norm 0.9\n"
        for n in range(1, last + 1)
    )


def failure(lead: str = "", words: str = "KeyError: 'phase'") -> str:
    lines = ["Traceback (most recent call last):", '  File "/code/train.py", line 9, in main']
    return "".join(f"{lead}{line}\n" for line in [*lines, '    x = plan["phase"]', words])


LEFT = "RuntimeError: [/gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.0.0.2]:47"


def node_files(told: bool) -> dict[str, str]:
    """Two nodes with two workers each; rank 3 fails of itself."""
    files = {}
    for rank in range(4):
        lead = f"[rank{rank}]: " if told else ""
        words = failure(lead) if rank == 3 else failure(lead, LEFT)
        path = f"logs/node-{rank // 2}/job7_ab12/attempt_0/{rank % 2}/stderr.log"
        files[path] = steps(at=rank) + words
    return files


# --- global ranks of torchrun's folders -------------------------------------------------------


@pytest.mark.parametrize("told", [True, False])
def test_local_ranks_of_several_nodes(read: Any, told: bool) -> None:
    found = read(node_files(told))
    assert found[Ranks].seen == (0, 1, 2, 3)
    assert found[Ranks].first.rank == 3
    assert {s.source.rank for s in found[LogHits].steps} == {0, 1, 2, 3}
    assert found.ask(failing_rank.PROBE)["first-failing-rank"].value["rank"] == 3


def test_only_the_second_node_is_there(read: Any) -> None:
    """Its lines tell the global rank of one worker: that places the other one, too."""
    files = {k: v for k, v in node_files(told=True).items() if "node-1" in k}
    quiet = next(k for k in files if "/0/stderr" in k)
    files[quiet] = steps()
    found = read(files)
    assert {s.source.rank for s in found[LogHits].steps} == {2, 3}


def test_one_node_keeps_its_numbers(read: Any) -> None:
    files = {f"logs/none_x/attempt_0/{n}/stderr.log": steps(at=n) for n in (0, 1)}
    assert read(files)[LogHits].ranks == (0, 1)


def test_a_worker_folder_is_found_below_a_run(tmp_path: Path) -> None:
    file = tmp_path / "out" / "logs" / "none_zz" / "attempt_0" / "1" / "stderr.log"
    file.parent.mkdir(parents=True)
    file.write_text("words\n")
    assert [f.path for f in collect([str(tmp_path)]).files] == [str(file)]


def test_other_folders_end_where_they_did(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcde")
    deep.mkdir(parents=True)
    (deep / "train.log").write_text("words\n")
    (tmp_path / "near.log").write_text("words\n")
    assert len(collect([str(tmp_path)]).files) == 1


# --- earlier launches beside the last one -----------------------------------------------------


def test_a_restart_is_a_file_of_its_own(read: Any) -> None:
    found = read(
        {
            "slurm-1001.out": steps(hour=10) + failure(),
            "slurm-1002.out": steps(hour=12, last=9) + "training finished\n",
        }
    )
    assert found[LogHits].ended == "well"
    assert found[LogHits].attempts == 2
    assert not found[Tracebacks].all


@pytest.mark.parametrize(
    ("files", "ranks"),
    [
        # Tasks of an array: each has ranks of its own, or begins when its turn comes.
        (
            {
                f"slurm-77_{n}.out": steps(lead="[rank0]: ") + steps(lead="[rank1]: ", at=1)
                for n in (3, 4)
            },
            {0, 1},
        ),
        ({f"slurm-77_{n}.out": steps(hour=9 + n) for n in (1, 2)}, set()),
        # Ranks: they begin together, or only their failure makes them speak.
        (
            {
                "slurm-77_0.out": steps(),
                "slurm-77_3.out": "2026-11-27 11:40:00,000 ERROR gone\n" + failure(),
            },
            {0, 3},
        ),
        ({f"slurm-77_{n}.out": steps(at=n) for n in (0, 1)}, {0, 1}),
        (
            {f"slurm-77_{n}.out": "words\n" + steps(at=n, lead=f"[rank{n}]: ") for n in (2, 5)},
            {2, 5},
        ),
    ],
)
def test_tasks_of_an_array_are_no_ranks(read: Any, files: dict[str, str], ranks: set[int]) -> None:
    found = read(files)
    assert set(found[LogHits].ranks) == ranks


def test_ranks_that_fell_silent_early_belong_to_the_launch(read: Any) -> None:
    found = read(
        {
            "rank0.log": steps(last=9) + failure("", LEFT),
            "rank1.log": steps(last=2, at=1) + failure(),
        }
    )
    assert found[Ranks].first.rank == 1
    assert found[LogHits].attempts == 1


def test_a_log_folder_that_is_used_again(read: Any) -> None:
    found = read(
        {
            "logs/none_a/attempt_0/0/stderr.log": steps(hour=9) + failure(),
            "logs/none_b/attempt_0/0/stderr.log": steps(hour=11, last=9),
        }
    )
    assert not found[Tracebacks].all
    assert len(found[LogHits].steps) == 9


# --- the same failure again -------------------------------------------------------------------


def attempts(*lasts: int, node: str = "") -> dict[str, str]:
    words = f"{node}:47:48 [3] NCCL WARN Cuda failure 'uncorrectable ECC error encountered'\n"
    return {
        f"slurm-{1000 + n}.out": steps(hour=10 + n, last=last) + (words if node else failure())
        for n, last in enumerate(lasts)
    }


def again(found: Any) -> str:
    made = found.ask(recurrence.PROBE)
    return made["recurrence"].outcome if made else ""


def test_the_same_step_again(read: Any) -> None:
    found = read(attempts(7, 7))
    assert [end.step for end in found[Attempts].ends] == [70, 70]
    assert again(found) == "same-step-any-node"


def test_the_same_node_at_other_steps(read: Any) -> None:
    assert again(read(attempts(5, 9, 7, node="node-7"))) == "same-node-any-step"


def test_other_steps_of_unknown_nodes(read: Any) -> None:
    assert again(read(attempts(5, 9))) == ""


def test_one_failure_is_no_recurrence(read: Any) -> None:
    assert again(read(attempts(5))) == ""


def test_attempts_of_one_agent(read: Any) -> None:
    files = {
        f"logs/none_q/attempt_{n}/0/stderr.log": steps(hour=10 + n, last=7) + failure()
        for n in range(3)
    }
    found = read(files)
    assert found[LogHits].attempts == 3
    assert again(found) == "same-step-any-node"


# --- the machine's own log --------------------------------------------------------------------

KILL = (
    "Memory cgroup out of memory: Killed process 42 (python3) total-vm:80GB, "
    "anon-rss:64000000kB, file-rss:0kB, shmem-rss:0kB, UID:1000\n"
)


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        (f"[Fri Nov 27 11:00:38 2026] {KILL}", True),
        (f"[Fri Nov 20 11:00:38 2026] {KILL}", False),
        (f"2026-11-27T11:00:38 node-3 kernel: {KILL}", True),
        (f"[ 8123.123456] {KILL}", True),
    ],
)
def test_a_record_counts_in_the_time_of_the_run(read: Any, line: str, counts: bool) -> None:
    found = read({"train.log": steps(), "dmesg.txt": line})
    assert any(h.source.file == "dmesg.txt" for h in found[LogHits].hits) == counts


FALLEN = (
    "NVRM: Xid (PCI:0000:9c:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
)
TIMED_OUT_AT = (
    "[rank1]:[E{at} ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for "
    "1800041 milliseconds before timing out.\n"
)
UNTIMED = "Running tokenizer on dataset (num_proc=1):  41%|####1     | 41/100 [29:58<43:10, 22.8 examples/s]\n"


@pytest.mark.parametrize(
    ("when", "log", "counts"),
    [
        # The day of the timeout without a year: a card that fell off the bus weeks before, or in it.
        ("Mon Jun 15 10:10:51 2026", TIMED_OUT_AT.format(at="722 10:31:00"), "no"),
        ("Wed Jul 22 10:10:51 2026", TIMED_OUT_AT.format(at="722 10:31:00"), "proof"),
        ("Wed Jul 22 10:10:51 2020", TIMED_OUT_AT.format(at="722 10:31:00.123"), "proof"),
        ("Wed Jul 22 10:51:00 2026", TIMED_OUT_AT.format(at="722 10:31:00"), "no"),
        # Before the first line with a time, of a log that begins with others.
        (
            "Wed Jul 22 06:00:00 2026",
            "step 1 loss 2.31\n" + TIMED_OUT_AT.format(at="722 10:31:00"),
            "hint",
        ),
        # A log without times.
        ("Wed Jul 22 10:10:51 2026", UNTIMED, "hint"),
    ],
)
def test_an_event_is_proof_only_in_the_time_of_the_run(
    read: Any, when: str, log: str, counts: str
) -> None:
    found = read({"rank1.log": log, "dmesg.txt": f"[{when}] {FALLEN}"})
    hits = [h for h in found[LogHits].hits if h.source.file == "dmesg.txt"]
    assert {"no" if not hits else "hint" if all(h.shared for h in hits) else "proof"} == {counts}
    told = [u.why.en for u in found.unread if u.file == "dmesg.txt"]
    words = {"no": "another time", "hint": "cannot be compared", "proof": ""}[counts]
    assert any(words in why for why in told) if words else not told


def test_a_process_that_both_name_is_one_whenever_it_was(read: Any) -> None:
    agent = "failed (exitcode: -9) local_rank: 0 (pid: {pid}) of binary: /usr/bin/python\n"
    for pid, shared in ((4242, False), (4243, True)):
        log = UNTIMED + agent.format(pid=pid)
        kill = KILL.replace("process 42 ", "process 4242 ")
        found = read({"train.log": log, "dmesg.txt": f"[ 8123.123456] {kill}"})
        hits = [h for h in found[LogHits].hits if h.source.file == "dmesg.txt"]
        assert hits
        assert all(h.shared is shared for h in hits)


def test_syslog_is_known_by_its_lines(read: Any) -> None:
    lines = [f"Nov 27 10:00:0{n} node-3 systemd[1]: Started Session {n}.\n" for n in range(4)]
    found = read({"train.log": steps(), "node-3.log": "".join(lines)})
    assert found[LogHits].last_step == 50
    assert found[LogHits].tail[-1].file == "train.log"


def test_a_machines_log_does_not_end_the_run(read: Any) -> None:
    line = "[Fri Nov 27 11:00:12 2026] oom-kill:constraint=CONSTRAINT_MEMCG,task=stress,pid=7\n"
    found = read({"train.log": steps() + "training finished\n", "dmesg.txt": line})
    assert found[LogHits].ended == "well"


# --- ranks that tell where they waited --------------------------------------------------------

LIB = "/v/lib/python3.11/site-packages/torch/"
TIMED_OUT = "RuntimeError: [/gloo/tcp/unbound_buffer.cc:78] Timed out waiting 6000ms for recv operation to complete"


def wait(rank: int, call: str, line: int, words: str = TIMED_OUT) -> str:
    file = LIB + ("_tensor.py" if call == "backward" else "distributed/distributed_c10d.py")
    lines = [
        "Traceback (most recent call last):",
        f'  File "/code/train.py", line {line}, in train',
        f'  File "{file}", line 7, in {call}',
        words,
    ]
    return "".join(f"[rank{rank}]: {row}\n" for row in lines)


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (("barrier", 9), ("backward", 20), "places-differ"),
        (("backward", 20), ("backward", 20), "same-on-all"),
        (("gather", 9), ("gather", 12), None),
    ],
)
def test_calls_in_tracebacks(read: Any, first: Any, second: Any, outcome: str | None) -> None:
    lead = steps(lead="[rank0] ") + steps(lead="[rank1] ", at=1)
    found = read(lead + wait(0, *first) + wait(1, *second)).ask(collective_ranks.PROBE)
    if outcome is None:
        assert found.get("collective-ranks") is None or (
            found["collective-ranks"].outcome != "places-differ"
        )
    else:
        assert found["collective-ranks"].outcome == outcome
        assert "rank 0" in found["collective-ranks"].value["told"].en


def test_a_rank_that_came_too_late(read: Any) -> None:
    text = steps(lead="[rank0] ") + steps(lead="[rank1] ", at=1)
    text += wait(0, "backward", 20) + wait(1, "backward", 20, LEFT)
    found = read(text)
    assert found.ask(collective_ranks.PROBE)["collective-ranks"].outcome == "silent-rank-alive"
    assert found[Ranks].first is None


def test_a_rank_that_goes_on_writing(read: Any) -> None:
    text = steps(lead="[rank0] ") + wait(1, "barrier", 9)
    text += "2026-11-27 11:00:59,000 [rank0] INFO train: tokenizing: 4/8 files\n"
    found = read(text)
    made = found.ask(collective_ranks.PROBE)["collective-ranks"]
    assert made.outcome == "silent-rank-alive"
    assert "4/8" in made.value["line"]


def test_srun_labels_below_a_preamble(read: Any) -> None:
    lead = "".join(f"module {n} is loaded\n" for n in range(12))
    rows = [line for n in range(4) for line in steps(lead=f"{n}: ", at=n).splitlines(True)]
    found = read({"slurm-7.out": lead + "".join(rows) + failure("3: ")})
    assert found[LogHits].ranks == (0, 1, 2, 3)
    assert found[Ranks].first.rank == 3


@pytest.mark.parametrize(
    ("line", "well"),
    [
        ("training finished after 50 steps in 5.7 s", True),
        ("Training completed after 3 epochs.", True),
        ("the checkpoint is merged after training finished", False),
        ("training finished epoch 3", False),
    ],
)
def test_an_end_that_tells_how_long_it_took(read: Any, line: str, well: bool) -> None:
    assert (read(f"step 50/100 | loss 2.0\n{line}\n")[LogHits].ended == "well") is well
