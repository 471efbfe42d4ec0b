"""By how much a file shows itself as a framework's: by its name, by who is handed it, by its keys."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch

from medic.facts import Document, GivenFile

from .keys import Keys

# A file that is named for its framework says more than one key.
NAMED = 3
# One that a command hands to the framework is the framework's, whatever its keys are.
HANDED = 100


def told(
    keys: Keys,
    given: GivenFile,
    name: str,
    document: Document,
    told_by: Callable[[Keys], int],
    *,
    handed: bool,
) -> int:
    """How many keys tell that a file of this name is one of the framework's."""
    recognise = keys.framework.recognise
    model_file = given.kind == "model-config"
    if (keys.framework.role == "model") != model_file:
        return 0
    anything = not recognise.syntax and document.syntax != "python"
    if not anything and document.syntax not in recognise.syntax:
        return 0
    if handed:
        return HANDED
    if any(_is_named(name, pattern) for pattern in recognise.file_names):
        return NAMED
    return told_by(keys)


def in_braces(document: Document) -> bool:
    """Whether a YAML file is one object in braces, as JSON is, by whatever name."""
    root = document.root
    items = root.items if root is not None else ()
    return root is not None and bool(items) and root.span.start < items[0][0].span.start


def _is_named(name: str, pattern: str) -> bool:
    """A name without wildcards is compared: no pattern is made of it."""
    return fnmatch(name, pattern) if any(c in pattern for c in "*?[") else name == pattern
