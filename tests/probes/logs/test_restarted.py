"""Restarts of torchrun whose workers do not find each other tell nothing of the first failure."""

from __future__ import annotations

from typing import Any

import pytest

from medic.facts import LogHits, Ranks, Tracebacks

STEPS = "".join(f"2026-11-30 09:45:0{n} step {n} loss 2.{9 - n}\n" for n in range(1, 6))
FIRST = 'Traceback (most recent call last):\n  File "/lab/train.py", line 30, in main\n    row = json.loads(text)\n'
UNREAD = FIRST + "json.decoder.JSONDecodeError: Unterminated string starting at: line 1 column 10\n"
UNMET = (
    'Traceback (most recent call last):\n  File "/lab/train.py", line 12, in main\n'
    "    dist.init_process_group('gloo')\n"
    "RuntimeError: Gloo connectFullMesh failed with [/gloo/transport/tcp/pair.cc:152] timed out "
    "connecting: SO_ERROR: Connection refused, remote=[127.0.0.1]:902\n"
)
OTHER = FIRST + "KeyError: 'labels'\n"


def logs(*lasts: str) -> dict[str, str]:
    """One text an attempt, of its rank 2; the other rank says nothing of a failure."""
    return {
        f"logs/none_k/attempt_{number}/{rank}/stderr.log": text if rank == 2 else ""
        for number, text in enumerate(lasts)
        for rank in (1, 2)
    }


@pytest.mark.parametrize(
    ("later", "told"),
    [
        (UNMET, "json.decoder.JSONDecodeError"),
        (OTHER, "KeyError"),  # it met, and failed in another way
        (STEPS + UNMET, "RuntimeError"),  # it trained
    ],
)
def test_the_failure_before_restarts_in_vain_leads(read: Any, later: str, told: str) -> None:
    found = read(logs(STEPS + UNREAD, later))
    assert found[Tracebacks].all[0].exception == told
    assert found[Ranks].first.rank == 2
    assert found[LogHits].attempts == 2


def test_all_attempts_that_could_not_connect_are_one_fault(read: Any) -> None:
    found = read(logs(UNMET, UNMET))
    assert {t.source.file.split("/")[2] for t in found[Tracebacks].all} == {"attempt_1"}


@pytest.mark.parametrize("lasts", [(STEPS + UNREAD, UNMET), (STEPS + UNREAD,)])
def test_what_the_launcher_says_of_restarts_in_vain(read: Any, lasts: tuple[str, ...]) -> None:
    """Of restarts that are not here it counts as ever."""
    found = read(logs(*lasts) | {"launcher.log": UNMET})
    told = [h for h in found[LogHits].hits if h.source.file == "launcher.log"]
    assert told
    in_vain = len(lasts) > 1
    assert all(bool(h.benign) == in_vain for h in told if h.symptom == "network-unreachable")
