"""Metrics over steps."""

from __future__ import annotations

from collections.abc import Mapping

from medic.records import dataclass, field


@dataclass(frozen=True)
class Series:
    """One metric over steps; non-finite values are kept. ``lines`` are 1-based file lines."""

    name: str
    file: str
    steps: tuple[int, ...]
    values: tuple[float, ...]
    lines: tuple[int, ...]
    rank: int | None = None


@dataclass(frozen=True)
class Curve:
    """Series of the leading rank and of every rank; steps that trainer_state.json plans.

    ``resumed_at`` are steps at which the counter went back: training went on from a checkpoint.
    ``replaced`` are the losses that such a step left behind, one series each.
    """

    series: Mapping[str, Series] = field(default_factory=dict)
    by_rank: Mapping[int, Mapping[str, Series]] = field(default_factory=dict)
    planned_steps: int | None = None
    resumed_at: tuple[int, ...] = ()
    replaced: tuple[Series, ...] = ()
