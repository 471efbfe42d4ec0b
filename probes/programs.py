"""The programs of a case, as far as probes read them."""

from __future__ import annotations

from medic.facts import GivenFile
from medic.probe import Look

FILES = 24  # programs that are looked at
BYTES = 400_000  # of one program: nobody writes a longer one by hand


def own_programs(look: Look) -> list[GivenFile]:
    """The first of the programs that are files, and no part of a text that was pasted."""
    return [f for f in look.files("python") if not f.name.startswith("<")][:FILES]


def program_bytes(look: Look, path: str) -> bytes:
    """A program from its beginning. Raises Unreadable as ``look.open`` does."""
    with look.open(path, BYTES) as file:
        return file.read(BYTES)


def program_text(look: Look, path: str) -> str:
    """The same as text."""
    return program_bytes(look, path).decode("utf-8", "replace")
