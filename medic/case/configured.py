"""What configures a training, a file or one command of a script, and which logs are of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePath

from medic.errors import Unreadable
from medic.facts import Document, GivenFile
from medic.records import dataclass
from medic.text.encodings import utf8
from medic.text.namesakes import called_alike, named_in, namesakes, words_of, writers
from medic.text.openings import head_of

HEAD_BYTES = 64 * 1024  # of a log, in which its command stands
MAX_BYTES = 512 * 1024
SHARED_KEYS = 3  # that two files state to be configurations of the same kind


@dataclass(frozen=True)
class Carrier:
    """A configuration; of a script each of whose commands has a log of its own, one of these
    (``text``, ``log``)."""

    path: str
    kind: str
    text: str = ""
    log: str = ""

    @property
    def is_command(self) -> bool:
        return bool(self.log)

    @cached_property
    def values(self) -> Mapping[str, str]:
        """What it states, by the last part of each key."""
        from medic.syntax import parse

        try:
            data = self.text.encode() if self.log else _read(self.path, MAX_BYTES)
            document = parse(data, self.path, "shell" if self.log else None)
        except Unreadable:
            return {}
        return {_key(name): value for name, value in _stated(document)}


def carriers_of(files: Sequence[GivenFile], logs: Sequence[str]) -> Iterator[Carrier]:
    """All that configures in these files."""
    for file in files:
        if file.kind == "config":
            yield Carrier(file.path, file.kind)
        elif file.kind == "script":
            text = _text(file.path)
            commands = writers(text, logs) or called_alike(text, logs)
            if len(commands) < 2:
                yield Carrier(file.path, file.kind)
            for one in commands if len(commands) > 1 else ():
                yield Carrier(file.path, file.kind, one.text, one.log)


def pairs(
    root: str, logs: Sequence[GivenFile], carriers: Sequence[Carrier]
) -> dict[str, list[Carrier]]:
    """Path of a log -> what it is of, by the command that writes it, its folder, the command that
    its lines show, or its name; what is left over, one log and one configuration, is a pair, too."""
    files = [c for c in carriers if not c.is_command]
    paths = [c.path for c in files]
    alike = namesakes([log.path for log in logs], paths)
    found: dict[str, list[Carrier]] = {}
    for log in logs:
        commands = [c for c in carriers if c.log == log.path]
        said = "\n".join(c.text for c in commands) or _text(log.path)
        names = _beside(root, log.path, paths) or named_in(said, paths)
        by_name = list(alike.get(log.path, ()))
        if commands or _beside(root, log.path, paths):
            by_name = []
        elif names:
            by_name = [c for c in by_name if _kind(files, c) == "script"]
        of = [*commands, *(c for c in files if c.path in names or c.path in by_name)]
        if of:
            found[log.path] = of
    left = [g.path for g in logs if g.path not in found and words_of(g.path) and g.rank is None]
    free = [c for c in files if not any(c in of for of in found.values())]
    if found and len(left) == 1 and len(free) == 1 and _is_alike(free[0], found):
        found[left[0]] = free
    return found


def _kind(carriers: Sequence[Carrier], path: str) -> str:
    return next(c.kind for c in carriers if c.path == path)


def _is_alike(one: Carrier, found: Mapping[str, Sequence[Carrier]]) -> bool:
    """Whether it states much of what those state that are of other logs."""
    others = (c for of in found.values() for c in of)
    return any(len(one.values.keys() & c.values.keys()) >= SHARED_KEYS for c in others)


def _beside(root: str, log: str, carriers: Sequence[str]) -> list[str]:
    """Those in the nearest folder above a log, below the root, that holds any."""
    here = PurePath(root)
    for folder in PurePath(log).parents:
        if folder == here or not folder.is_relative_to(here):
            break
        if found := [c for c in carriers if PurePath(c).parent == folder]:
            return found
    return []


# --- what is stated ---------------------------------------------------------------------------


def _text(path: str) -> str:
    try:
        return utf8(_read(path, HEAD_BYTES)).decode("utf-8", "replace")
    except Unreadable:
        return ""


def _read(path: str, limit: int) -> bytes:
    """The first bytes of a file. Raises Unreadable."""
    try:
        return head_of(path, limit)
    except OSError as problem:
        raise Unreadable(str(problem), str(problem), at=path) from None


def _stated(document: Document) -> Iterator[tuple[str, str]]:
    """Leaves of a tree, flags and KEY=VALUE words of commands."""
    if document.root is not None:
        for keys, _, leaf in document.root.leaves():
            own = "save_folder" if keys[-2:] == ("checkpoint", "folder") else keys[-1]
            yield own, "" if leaf.value is None else str(leaf.value)
    for command in document.commands:
        words = [word.text for word in command.words]
        for word, following in zip(words, (*words[1:], ""), strict=True):
            name, equals, value = word.partition("=")
            if word.startswith("--"):
                yield name, value if equals else "" if following.startswith("--") else following
            elif equals and name.lstrip("+").replace(".", "_").isidentifier():
                yield name.rpartition(".")[2], value


def _key(name: str) -> str:
    return name.lower().lstrip("-+").replace("-", "_")
