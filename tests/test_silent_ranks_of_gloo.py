"""Ranks that gloo's timeouts tell of, the one that said nothing, and a crash among gloo's ranks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import load
from medic.report.text import ranks_seen
from medic.session.consultation import Session

FRAMES = (
    "Traceback (most recent call last):\n"
    '  File "/job/train.py", line 42, in main\n    loss.backward()\n'
    '  File "/opt/lib/python3.11/site-packages/torch/_tensor.py", line 623, in backward\n'
    "    torch.autograd.backward(\n"
)
WAIT = "RuntimeError: [/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 15000ms for recv operation to complete\n"
GONE = (
    "RuntimeError: [/gloo/transport/tcp/pair.cc:537] Read error [127.0.0.1]:541: Connection reset by "
    "peer. This is typically caused by a remote worker crashing.\n"
)
CRASH = (
    "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f02787d1b80 (most recent call "
    'first):\n  File "/job/train.py", line 27 in main\n'
)
CLOSED = (
    "Failures:\n[1]:\n  time      : 2026-11-30_09:39:26\n  rank      : 2 (local_rank: 2)\n"
    "  exitcode  : {code} (pid: 5381)\n  error_file: <N/A>\n"
)


def log(rank: int, end: str) -> str:
    return "".join(
        f"2026-11-30 09:38:2{n},031 INFO [train] rank {rank} step {n}/40 loss {4 - n / 9:.4f}\n"
        for n in range(6)
    ) + (FRAMES + end if end.startswith("Runtime") else end)


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., Session]:
    def run(*ends: str, launcher: str = "") -> Session:
        for rank, end in enumerate(ends):
            path = tmp_path / "logs" / "none_y" / "attempt_0" / str(rank) / "stderr.log"
            path.parent.mkdir(parents=True)
            path.write_text(log(rank, end), "utf-8")
        (tmp_path / "launcher.log").write_text(launcher, "utf-8")
        session = Session(load(), collect([str(tmp_path)]))
        session.look()
        return session

    return run


def test_the_rank_that_says_nothing_is_named(asked: Callable[..., Session]) -> None:
    session = asked(WAIT, WAIT, "", WAIT, launcher=CLOSED.format(code="-15"))
    (line,) = ranks_seen(session)
    assert line.outcome == "silent-rank-stopped"
    assert line.text is not None
    assert "rank 2 wrote last “" in line.text.en
    assert "step 5/40" in line.text.en


def test_ranks_that_all_wait_leave_none_to_name(asked: Callable[..., Session]) -> None:
    (line,) = ranks_seen(asked(WAIT, WAIT, WAIT, WAIT))
    assert line.outcome == "same-on-all"


def test_a_crash_among_ranks_of_gloo_is_no_fault_of_nvshmem(asked: Callable[..., Session]) -> None:
    session = asked(GONE, GONE, CRASH, GONE)
    assert session.diagnosis().causes[0].name == "crash-in-native-code"


def answered(session: Session) -> set[tuple[str, str]]:
    return {(told.name, told.outcome) for told in session.evidence.observed}


def test_a_connection_lost_to_a_rank_that_gave_up(asked: Callable[..., Session]) -> None:
    found = answered(asked(GONE, WAIT))
    assert ("nccl-result", "remote-error") not in found
    assert ("collective-timeout", "present") in found


def test_a_connection_lost_where_a_rank_says_nothing(asked: Callable[..., Session]) -> None:
    found = answered(asked(GONE, WAIT, "", launcher=CLOSED.format(code="-9")))
    assert ("nccl-result", "remote-error") in found
