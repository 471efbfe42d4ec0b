"""Which framework a file or a command speaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import PurePath

from medic.facts import Document, GivenFile, Launch, Word

from .carriers import Carrier, Stated, settle
from .keys import Framework, Keys, parts_of
from .readers import command
from .readers import document as tree

# The entry whose names are understood where no other framework is recognised.
PLAIN = "plain"
# A file that is named for its framework says more than one key.
_NAMED = 3


class Recogniser:
    """The frameworks of the knowledge, ready to read files and commands."""

    def __init__(self, frameworks: Iterable[Framework]) -> None:
        entries = list(frameworks)
        plain = next((f for f in entries if f.name == PLAIN), None)
        self.plain = Keys(plain) if plain is not None else None
        self.keys = [Keys(f, self.plain) for f in entries if f.name != PLAIN]

    # --- files ------------------------------------------------------------------------------

    def file(self, given: GivenFile, document: Document) -> Stated | None:
        """What a file states, read as its best framework; None if it states nothing known."""
        paths = tree.key_paths(document.root)
        best: tuple[tuple[int, int], Keys, list[Carrier]] | None = None
        for keys in self.keys:
            size = self._told(keys, given, document, paths)
            if not size:
                continue
            found = tree.carriers(document, keys)
            score = (size, len(found))
            if best is None or score > best[0]:
                best = (score, keys, found)
        if best is None and self.plain is not None:
            best = ((0, 0), self.plain, tree.carriers(document, self.plain))
        if best is None or not (best[2] or best[0][0]):
            return None
        names = tree.mentions(document.root)
        framework = best[1].framework
        return Stated(given.name, framework, settle(best[2]), document, given, names)

    @staticmethod
    def _told(
        keys: Keys, given: GivenFile, document: Document, paths: frozenset[tuple[str, ...]]
    ) -> int:
        recognise = keys.framework.recognise
        model_file = given.kind == "model-config"
        if (keys.framework.role == "model") != model_file:
            return 0
        if recognise.syntax and document.syntax not in recognise.syntax:
            return 0
        name = PurePath(given.name).name
        if any(fnmatch(name, pattern) for pattern in recognise.file_names):
            return _NAMED
        return keys.specificity(paths)

    # --- commands ---------------------------------------------------------------------------

    def launcher(self, launch: Launch) -> Stated | None:
        """What the launcher's own options state."""
        for keys in self.keys:
            if keys.framework.role == "launcher" and _named(keys, launch):
                found = command.carriers(launch.launcher_words[1:], keys)
                return Stated(launch.span.file, keys.framework, settle(found))
        return None

    def script(self, launch: Launch) -> Stated | None:
        """What the flags of the training script state."""
        names = [flag.name.lstrip("-") for flag in command.flags(launch.arguments)]
        paths = {parts_of([name]) for name in names}
        paths |= {("_".join(path),) for path in paths}
        best: tuple[tuple[int, int], Keys, list[Carrier]] | None = None
        for keys in self.keys:
            if keys.framework.role != "trainer":
                continue
            size = _NAMED if _named(keys, launch) else keys.specificity(paths)
            syntax = keys.framework.recognise.syntax
            if not size or (syntax and "shell" not in syntax):
                continue
            found = command.carriers(launch.arguments, keys)
            if best is None or (size, len(found)) > best[0]:
                best = ((size, len(found)), keys, found)
        if best is None and self.plain is not None:
            best = ((0, 0), self.plain, command.carriers(launch.arguments, self.plain))
        if best is None:
            return None
        mentioned = frozenset(w.value for w in launch.arguments if w.value)
        return Stated(launch.span.file, best[1].framework, settle(best[2]), mentions=mentioned)


def _named(keys: Keys, launch: Launch) -> bool:
    """Whether a word of the command is one that the entry names."""
    commands = keys.framework.recognise.commands
    if not commands:
        return False
    words: Sequence[Word] = launch.launcher_words
    texts = [w.value for w in (*words, launch.script) if w is not None and w.value]
    names = {launch.launcher, *texts, *(PurePath(text).name for text in texts)}
    return any(fnmatch(name, pattern) for name in names for pattern in commands)
