"""The configuration files that could be read, with the framework that reads each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.errors import Unreadable
from medic.facts import Document, GivenFile
from medic.probe import Look
from medic.run_config import RunConfig

from .keys import Framework
from .readers.wandb import unwrapped

_SYNTAXES = ("yaml", "json", "toml", "python")


def read_documents(
    look: Look, config: RunConfig
) -> Iterator[tuple[GivenFile, Document, Framework]]:
    """Those of a launch: a file of which it takes no setting has no framework."""
    readers = readers_of(config)
    frameworks: Mapping[str, Framework] = {f.name: f for f in look.frameworks}
    for given in look.files("config"):
        framework = frameworks.get(readers.get(given.path, ""))
        document = read_document(look, given) if framework is not None else None
        if framework is not None and document is not None:
            yield given, document, framework


def readers_of(config: RunConfig) -> Mapping[str, str]:
    """The name of the framework that reads each file, by the path of the file."""
    return {
        s.origin.span.file: s.origin.framework
        for s in config.settings
        if s.origin.span is not None and s.origin.syntax in _SYNTAXES
    }


def read_document(look: Look, given: GivenFile) -> Document | None:
    try:
        return unwrapped(look.parse(given.path))
    except Unreadable:
        return None
