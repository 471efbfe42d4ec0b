"""The configuration files that could be read."""

from __future__ import annotations

from collections.abc import Iterator

from medic.errors import Unreadable
from medic.facts import Document, GivenFile
from medic.probe import Look

from .readers.wandb import unwrapped


def read_documents(look: Look) -> Iterator[tuple[GivenFile, Document]]:
    for given in look.files("config"):
        document = _read(look, given)
        if document is not None:
            yield given, document


def _read(look: Look, given: GivenFile) -> Document | None:
    try:
        return unwrapped(look.parse(given.path))
    except Unreadable:
        return None
