"""How much tells that a file or a command is a framework's: its keys, its name, what starts it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import PurePath

from medic.facts import Document, GivenFile, Launch, Word

from .keys import Keys

# A file that is named for its framework says more than one key.
_NAMED = 3
# One that a command hands to the framework is the framework's, whatever its keys are.
_HANDED = 100


def told_by_file(
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
        return _HANDED
    if any(_is_named(name, pattern) for pattern in recognise.file_names):
        return _NAMED
    return told_by(keys)


def in_braces(document: Document) -> bool:
    """Whether a YAML file is one object in braces, as JSON is, by whatever name."""
    root = document.root
    items = root.items if root is not None else ()
    return root is not None and bool(items) and root.span.start < items[0][0].span.start


def _is_named(name: str, pattern: str) -> bool:
    """A name without wildcards is compared: no pattern is made of it."""
    return fnmatch(name, pattern) if any(c in pattern for c in "*?[") else name == pattern


def told_by_command(keys: Keys, launch: Launch, told_by: Callable[[Keys], int]) -> int:
    syntax = keys.framework.recognise.syntax
    if keys.framework.role != "trainer" or (syntax and "shell" not in syntax):
        return 0
    if launch.launcher in keys.framework.recognise.commands:
        return _HANDED  # a program of the framework's own, whatever it is given
    if named(keys, launch):
        return _NAMED
    return 0 if keys.framework.recognise.own_commands else told_by(keys)


def only_called(keys: Keys, launch: Launch, told_by: Callable[[Keys], int]) -> bool:
    """Whether nothing but a file name such as many have (``finetune_*.py``) is a framework's."""
    patterns = [p for p in keys.framework.recognise.commands if p.endswith("*.py")]
    script = launch.script.value if launch.script is not None else None
    name = PurePath(script).name if script else ""
    return any(fnmatch(name, p) for p in patterns) and not told_by(keys)


def named(keys: Keys, launch: Launch) -> bool:
    """Whether a word of the command is one that the entry names."""
    commands = keys.framework.recognise.commands
    if not commands:
        return False
    words: Sequence[Word] = launch.launcher_words
    texts = [w.value for w in (*words, launch.script) if w is not None and w.value]
    names = {launch.launcher, *texts, *(PurePath(text).name for text in texts)}
    return any(fnmatch(name, pattern) for name in names for pattern in commands)
