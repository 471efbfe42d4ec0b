"""Configurations that the scripts of a case write themselves, as files of it."""

from __future__ import annotations

from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import GivenFile, Written
from medic.probe import Look


def written(look: Look) -> Iterator[tuple[GivenFile, Written]]:
    """(the script, what it writes to a configuration): every place of that lies in the script."""
    given = {file.path for file in look.files("script")}
    for script in look.files("script"):
        try:
            found = look.parse(script.path).written
        except Unreadable:
            continue
        for one in found:
            # What a sourced file writes is told where that is given, too.
            file = one.document.file if one.document is not None else one.at.rpartition(":")[0]
            if file == script.path or file not in given:
                yield script, one
