"""This machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Host:
    """This machine."""

    name: str
    cores: int
    memory_total: int
    gpus: int | None = None
