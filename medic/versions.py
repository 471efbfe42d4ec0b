"""Versions of packages: which fit a specifier (PEP 440), which have a fault; package names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from medic.entries import Version

# How the names of files begin that pin versions.
PINNING = ("requirements", "constraints", "pyproject", "conda", "env", "setup", "uv", "poetry",
           "Pipfile")  # fmt: skip


def affected(faults: Sequence[Version], known: Mapping[str, str]) -> bool | None:
    """True if the known versions have the fault, False if one of them has not, else None.

    Several ranges of one package are each faulty; several packages fail only together.
    """
    told: dict[str, bool] = {}
    for fault in faults:
        answer = has(known[fault.package], fault.spec) if fault.package in known else None
        if answer is not None:
            told[fault.package] = answer or told.get(fault.package, False)
    return all(told.values()) if told else None


def pins(file: str) -> bool:
    """Whether a file of this name says which versions are installed."""
    return file.replace("\\", "/").rpartition("/")[2].startswith(PINNING)


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
