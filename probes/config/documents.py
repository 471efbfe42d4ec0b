"""The configuration files that could be read, with the framework that reads each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from medic.errors import Unreadable
from medic.facts import Document, GivenFile
from medic.probe import Look
from medic.run_config import RunConfig

from .hydra_parts import Parts, parts_of, placed
from .keys import Framework
from .readers.wandb import unwrapped

_SYNTAXES = ("yaml", "json", "toml", "python")


def read_documents(
    look: Look, config: RunConfig
) -> Iterator[tuple[GivenFile, Document, Framework]]:
    """Those of a launch: a file of which it takes no setting has no framework."""
    readers = readers_of(config)
    frameworks: Mapping[str, Framework] = {f.name: f for f in look.frameworks}
    parts = parts_of(look)
    for given in look.files("config"):
        framework = frameworks.get(readers.get(given.path, ""))
        document = read_document(look, given, parts) if framework is not None else None
        if framework is not None and document is not None:
            yield given, document, framework


def readers_of(config: RunConfig) -> Mapping[str, str]:
    """The name of the framework that reads each file, by the path of the file."""
    return {
        s.origin.span.file: s.origin.framework
        for s in config.settings
        if s.origin.span is not None and s.origin.syntax in _SYNTAXES
    }


def read_document(look: Look, given: GivenFile, parts: Parts) -> Document | None:
    """A part of another configuration with its keys at their place in the whole."""
    try:
        document = unwrapped(look.parse(given.path))
    except Unreadable:
        return None
    part = parts.named.get(given.path)
    return placed(document, part.package) if part is not None else document
