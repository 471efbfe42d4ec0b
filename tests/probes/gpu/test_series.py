"""Series of samples: columns in any order, with and without units and titles."""

from __future__ import annotations

import pytest
from medic.probes.gpu.series import is_header, parse_series

from medic.errors import Unreadable
from medic.facts import GpuSeries

TIME = 1772792430.0  # 2026-03-06 10:20:30 UTC
MIB = 1 << 20


def parse(text: str) -> GpuSeries:
    series = parse_series(enumerate(text.splitlines(), 1), "s.csv")
    assert isinstance(series, GpuSeries)
    return series


@pytest.mark.parametrize(
    "text",
    [
        (
            "timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n"
            "2026/03/06 10:20:30.250, 0, 12 %, 345 MiB, 81559 MiB\n"
            "2026/03/06 10:20:30.260, 1, 0 %, 0 MiB, 81559 MiB\n"
        ),
        (
            "memory.total [MiB], memory.used [MiB], name, utilization.gpu [%], index, timestamp\n"
            "81559, 345, NVIDIA H100, 12, 0, 2026/03/06 10:20:30.250\n"
            "81559, 0, NVIDIA H100, 0, 1, 2026/03/06 10:20:30.260\n"
        ),
        (
            "2026/03/06 10:20:30.250, 0, 12 %, 345 MiB, 81559 MiB\n"
            "2026/03/06 10:20:30.260, 1, 0 %, 0 MiB, 81559 MiB\n"
        ),
        (
            "time,gpu_id,gpu_util,mem_used,mem_total\n"
            "2026-03-06 10:20:30.250,0,12,345,81559\n"
            "2026-03-06 10:20:30.260,1,0,0,81559\n"
        ),
        (
            "timestamp, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n"
            "2026/03/06 10:20:30.250, GPU-a, 12 %, 345 MiB, 81559 MiB\n"
            "2026/03/06 10:20:30.260, GPU-b, 0 %, 0 MiB, 81559 MiB\n"
        ),
    ],
    ids=["units", "nounits", "no titles", "own script", "uuid"],
)
def test_forms_tell_the_same(text: str) -> None:
    samples = parse(text).samples
    assert sorted(samples) == [0, 1]
    assert [row[:4] for row in samples[0]] == [(TIME + 0.25, 12.0, 345 * MIB, 81559 * MIB)]
    assert [row[1:4] for row in samples[1]] == [(0.0, 0, 81559 * MIB)]


def test_lines_are_kept() -> None:
    text = "index, utilization.gpu [%], memory.used [MiB]\n0, 1 %, 2 MiB\n0, 3 %, 4 MiB\n"
    assert [(row[0], row[4]) for row in parse(text).samples[0]] == [(0.0, 2), (1.0, 3)]


def test_not_available_and_cut_lines() -> None:
    text = (
        "timestamp, index, utilization.gpu [%], memory.used [MiB]\n"
        "2026/03/06 10:20:30.250, 0, [N/A], 345 MiB\n"
        "2026/03/06 10:20:31.250, 0, [Unknown Error], [Unknown Error]\n"
        "2026/03/06 10:20:32.250, 0, 9 %, 34"
        "\n2026/03/06 10:20:3"
    )
    assert [row[1:3] for row in parse(text).samples[0]] == [(None, 345 * MIB), (9.0, 34 * MIB)]


def test_titles_repeated_by_a_restart() -> None:
    title = "index, utilization.gpu [%], memory.used [MiB]\n"
    assert len(parse(title + "0, 1 %, 2 MiB\n" + title + "0, 3 %, 4 MiB\n").samples[0]) == 2


def test_several_gpus_without_an_index() -> None:
    title = "timestamp, utilization.gpu [%], memory.used [MiB]\n"
    rows = "".join(
        f"2026/03/06 10:20:{s:02}.{ms}, {u} %, 5 MiB\n"
        for s in range(20)
        for ms, u in ((100, 0), (101, 99))
    )
    with pytest.raises(Unreadable, match="no index column"):
        parse(title + rows)
    alone = "".join(f"2026/03/06 10:20:{s:02}.100, 5 %, 5 MiB\n" for s in range(20))
    assert len(parse(title + alone).samples[0]) == 20


@pytest.mark.parametrize(
    "text",
    ["", "a, b\n1, 2\n", "1, 2, 3\n", "pid, process_name, used_gpu_memory [MiB]\n5, x, 7 MiB\n"],
)
def test_no_series(text: str) -> None:
    with pytest.raises(Unreadable):
        parse(text)


def test_titles() -> None:
    assert is_header("timestamp, index, utilization.gpu [%]")
    assert not is_header("2026/03/06 10:20:30.250, 0, 12 %")
    assert not is_header("step,loss,lr")
