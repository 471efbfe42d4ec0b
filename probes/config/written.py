"""Configurations that the scripts of a case write themselves, as files of it."""

from __future__ import annotations

from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import GivenFile, Written
from medic.probe import Look


def written(look: Look) -> Iterator[tuple[GivenFile, Written]]:
    """(the script, what it writes to a configuration): every place of that lies in the script."""
    for script in look.files("script"):
        try:
            found = look.parse(script.path).written
        except Unreadable:
            continue
        for one in found:
            yield script, one
