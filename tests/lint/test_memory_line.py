"""The line under lint's findings that says whether the launch fits."""

from __future__ import annotations

from typing import Any

import pytest

from medic.facts import GpuMemory, MemoryEstimate
from medic.i18n import Text, use
from medic.report.console import Console
from medic.report.memory_line import memory_data, memory_line

GIB = 2**30


@pytest.fixture(autouse=True)
def english() -> None:
    """Whatever language a test before was in."""
    use("en")


def facts(low: int, likely: int, high: int, **more: Any) -> dict[type[Any], Any]:
    found = MemoryEstimate(low=low * GIB, estimate=likely * GIB, high=high * GIB, **more)
    return {MemoryEstimate: found, GpuMemory: GpuMemory(80 * GIB)}


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ((40, 50, 60), "fits, 30.0 GiB left"),
        ((60, 74, 85), "tight, 6.0 GiB left by the estimate, 5.0 GiB too much by the high bound"),
        ((60, 74, 78), "tight, 6.0 GiB left by the estimate, 2.0 GiB by the high bound"),
        (
            (40, 70, 85),
            "most likely fit, 10.0 GiB left by the estimate, 5.0 GiB too much by the high",
        ),
        (
            (40, 70, 78),
            "most likely fit, 10.0 GiB left by the estimate, 2.0 GiB left by the high end",
        ),
        ((60, 90, 99), "will most likely not fit"),
        ((81, 90, 99), "will not fit"),
    ],
)
def test_what_is_said(
    bounds: tuple[int, int, int], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    memory_line(Console(), facts(*bounds))
    assert words in capsys.readouterr().err


def test_no_range_where_a_term_was_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    some = facts(40, 50, 60, not_measured=(Text("experts", "专家"),))
    memory_line(Console(), some)
    told = capsys.readouterr().err
    assert "at least 40.0 GiB" in told
    assert "50.0" not in told
    found = memory_data(some)
    assert found is not None
    assert found["high"] is None


def test_nothing_is_said_without_a_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    memory_line(Console(), {})
    assert capsys.readouterr().err == ""
    assert memory_data({}) is None


@pytest.mark.parametrize(
    ("bounds", "unclaimed", "said"),
    [((81, 90, 99), True, True), ((81, 90, 99), False, False), ((60, 90, 99), True, False)],
)
def test_what_will_not_fit_and_is_no_finding_says_why(
    bounds: tuple[int, int, int], unclaimed: bool, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    some = facts(*bounds, assumed={"attention": "fused", "compile": "off", "fused_loss": "off"})
    memory_line(Console(), some, unclaimed=unclaimed)
    told = capsys.readouterr().err
    assert ("no finding, as no file states compile, fused_loss" in told) == said
    assert "attention" not in told
