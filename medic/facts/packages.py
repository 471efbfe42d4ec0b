"""Versions of the software that a run used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from medic.facts.files import Source


@dataclass(frozen=True)
class Packages:
    """Versions by package name, each with the line that tells it."""

    versions: Mapping[str, str]
    sources: Mapping[str, Source] = field(default_factory=dict)
