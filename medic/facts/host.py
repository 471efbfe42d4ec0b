"""This machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Host:
    """This machine."""

    name: str
    cores: int
    memory_total: int
    gpus: int | None = None


@dataclass(frozen=True)
class Ports:
    """TCP ports of this machine that something listens on."""

    listening: frozenset[int]
