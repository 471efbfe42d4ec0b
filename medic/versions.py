"""Versions of packages: which fit a specifier (PEP 440), which have a fault; package names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from medic.entries import Version


def affected(faults: Sequence[Version], known: Mapping[str, str]) -> bool | None:
    """True if a known version has the fault, False if all that are known have not, else None."""
    told = [has(known[f.package], f.spec) for f in faults if f.package in known]
    answers = [answer for answer in told if answer is not None]
    return any(answers) if answers else None


def index_name(name: str) -> str:
    """A package's name as the package index spells it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def has(version: str, spec: str) -> bool | None:
    """Whether a version fits a specifier; None if it is no version."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion, Version

    try:
        return SpecifierSet(spec).contains(Version(version), prereleases=True)
    except (InvalidVersion, InvalidSpecifier):
        return None
