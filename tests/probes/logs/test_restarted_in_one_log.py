"""A launcher that starts its workers anew: behind its word of a failure stands another start."""

from __future__ import annotations

from typing import Any

from medic.facts import LogHits

RAISED = (
    '[rank1]: Traceback (most recent call last):\n[rank1]:   File "/lab/train.py", line 30, in main\n'
    "[rank1]: ConnectionResetError: [Errno 104] Connection reset by peer: nfs mount /mnt/data\n"
)
AGENT = (
    "E1130 13:29:{s}.497000 2948 torch/distributed/elastic/multiprocessing/api.py:1002] failed "
    "(exitcode: 1) local_rank: 1 (pid: 3093) of binary: /usr/bin/python3\n"
)
UNMET = (
    "RuntimeError: Gloo connectFullMesh failed with [/gloo/transport/tcp/pair.cc:152] timed out "
    "connecting: SO_ERROR: Connection refused, remote=[127.0.0.1]:902\n"
)


def rows(minute: int) -> str:
    text = "2026-11-30 13:{m}:{n:02d},100 INFO r{r}/2 step {n}/20 epoch 0 loss {loss:.3f}\n"
    of = [(n, r) for n in range(1, 21) for r in (0, 1)]
    return "".join(text.format(m=minute, n=n, r=r, loss=6 - n / 9) for n, r in of)


def test_what_failed_before_the_workers_that_trained_is_of_another_start(read: Any) -> None:
    found = read({"train.log": RAISED + AGENT.format(s=20) + UNMET + AGENT.format(s=50) + rows(32)})
    assert (found[LogHits].ended, found[LogHits].attempts) == ("well", 2)
    assert not any(h.symptom == "network-unreachable" for h in found[LogHits].hits)


def test_rows_of_before_that_come_late_are_no_other_start(read: Any) -> None:
    """The standard output of workers may stand behind the agent's words."""
    found = read({"train.log": RAISED + AGENT.format(s=50) + rows(28)})
    assert (found[LogHits].ended, found[LogHits].attempts) == ("badly", 1)
