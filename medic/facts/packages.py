"""Versions of the software that a run used, and what it printed as it started."""

from __future__ import annotations

from collections.abc import Mapping

from medic.facts.files import Source
from medic.records import dataclass, field
from medic.run_config import Scalar


@dataclass(frozen=True)
class Packages:
    """Versions by package name, each with the line that tells it."""

    versions: Mapping[str, str]
    sources: Mapping[str, Source] = field(default_factory=dict)


@dataclass(frozen=True)
class Release:
    """What the files around a configuration say of a package's version: ``low`` is the oldest that
    may run, ``high`` the newest, ``below`` the first that may not; "" where nothing is said.
    """

    low: str
    high: str
    source: Source
    below: str = ""

    @property
    def version(self) -> str:
        """The version, if only one may run."""
        return self.low if self.low and self.low == self.high else ""


@dataclass(frozen=True)
class Releases:
    """Releases by package name as the package index spells it."""

    packages: Mapping[str, Release] = field(default_factory=dict)


@dataclass(frozen=True)
class PrintedStart:
    """Canonical fields that the run printed as it started, each with its line."""

    values: Mapping[str, tuple[Scalar, Source]]
