"""A GPU of the run that works for somebody else as well."""

from __future__ import annotations

from typing import Any

import pytest
from medic.probes.gpu import foreign_load
from medic.probes.gpu.series import parse_series

from medic.facts import LogHits
from medic.probe import Finding

HEAD = "timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]"
Rows = list[tuple[int, int]]  # utilisation and MiB of each GPU in one second


def sampled(look: Any, seconds: list[Rows], log: LogHits | None = None) -> list[Finding]:
    lines = [HEAD]
    for second, gpus in enumerate(seconds):
        stamp = f"2026/05/03 11:00:{second:02d}.000"
        lines += [
            f"{stamp}, {g}, {use} %, {mib} MiB, 81920 MiB" for g, (use, mib) in enumerate(gpus)
        ]
    series = parse_series(enumerate(lines, 1), "smi.csv")
    facts = [series] if log is None else [series, log]
    return [f for f in foreign_load.run(look(facts=facts)) if isinstance(f, Finding)]


def test_one_of_two_works_before_the_run_begins(look: Any) -> None:
    found = sampled(look, [[(0, 4), (99, 1203)]] * 5 + [[(80, 6635), (100, 7835)]] * 8)
    assert [f.outcome for f in found] == ["busy-without-the-run"]
    assert found[0].value == {"gpu": 1, "held": "1.17 GiB", "use": "99%"}
    assert found[0].source.line == 11


@pytest.mark.parametrize(
    "seconds",
    [
        [[(0, 4), (0, 4)]] * 5 + [[(80, 6635), (100, 6635)]] * 8,
        # Rank 1 begins first: what it holds is its own part of the same model.
        [[(0, 4), (99, 1203)]] * 5 + [[(80, 6635), (100, 6700)]] * 8,
        # Memory alone, such as that of a desktop, takes no time from the run.
        [[(0, 4), (1, 1203)]] * 5 + [[(80, 6635), (100, 7835)]] * 8,
        # The run uses one GPU of two.
        [[(0, 4), (99, 1203)]] * 5 + [[(0, 4), (100, 7835)]] * 8,
        # A job before this one ends.
        [[(0, 4), (99, 1203)]] * 5 + [[(0, 4), (0, 4)]] * 3 + [[(80, 6635), (100, 6635)]] * 8,
    ],
)
def test_gpus_of_this_run_alone(look: Any, seconds: list[Rows]) -> None:
    assert not sampled(look, seconds)


OTHER, OWN, NOBODY = [(98, 3000)], [(100, 9000)], [(0, 4)]


@pytest.mark.parametrize(
    ("before", "after", "outcomes"),
    [
        (OTHER, OTHER, ["busy-without-the-run"]),
        (OTHER, NOBODY, []),  # it had gone
        (NOBODY, NOBODY, []),
    ],
)
def test_one_gpu_before_and_after_the_run(
    look: Any, before: Rows, after: Rows, outcomes: list[str]
) -> None:
    start = parse_series([(1, HEAD), (2, "2026/05/03 11:00:20.000, 0, 1 %, 4 MiB, 9 MiB")], "s")
    first = start.samples[0][0][0]
    log = LogHits(first_time=first, last_time=first + 20)
    found = sampled(
        look, [before] * 12 + [NOBODY] * 8 + [OWN] * 20 + [NOBODY] * 5 + [after] * 10, log
    )
    assert [f.outcome for f in found] == outcomes
