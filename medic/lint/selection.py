"""Which checks report: names on the command line, and ``[tool.medic]`` of a pyproject.toml."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from medic.errors import Unreadable, UsageError
from medic.facts import Document
from medic.facts.documents import Node
from medic.index.knowledge import Index
from medic.records import dataclass

PROJECT = "pyproject.toml"
KEYS = ("select", "ignore", "per-file-ignores")


@dataclass(frozen=True)
class Settings:
    """``[tool.medic]`` of one file. ``select`` is None where it chooses nothing; each group of
    names carries the line that states it."""

    file: str
    select: frozenset[str] | None = None
    ignore: tuple[tuple[frozenset[str], int], ...] = ()
    per_file: tuple[tuple[str, frozenset[str], int], ...] = ()

    def ignores(self, name: str, file: str) -> int:
        """The line that turns this check off in this file; 0 if none does."""
        for names, line in self.ignore:
            if name in names:
                return line
        for pattern, names, line in self.per_file:
            if name in names and _matches(file, pattern, Path(self.file).parent):
                return line
        return 0


def _matches(file: str, pattern: str, root: Path) -> bool:
    path = Path(file).absolute()
    inner = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    return fnmatch.fnmatchcase(inner, pattern) or fnmatch.fnmatchcase(path.name, pattern)


def named(index: Index, word: str, at: str = "") -> frozenset[str]:
    """Checks of a name, code or glob. Raises UsageError with the nearest name."""
    lower, upper = word.strip().lower(), word.strip().upper()
    found = frozenset(
        name
        for name in index.lint_names
        if fnmatch.fnmatchcase(name, lower) or fnmatch.fnmatchcase(_code(index, name), upper)
    )
    if not found:
        from medic.nearest import did_you_mean

        hint = did_you_mean(word, sorted(index.lint_names))
        raise UsageError(
            f'no check named "{word}"{hint.en}', f"没有名为 “{word}” 的检查{hint.zh}", at=at
        )
    return found


def _code(index: Index, name: str) -> str:
    return str(index.raw["causes"][name]["code"])


def chosen(index: Index, select: Sequence[str], ignore: Sequence[str]) -> frozenset[str] | None:
    """Checks of --select less those of --ignore, each word may list several; None for all."""
    if not select and not ignore:
        return None
    wanted = frozenset(index.lint_names)
    if select:
        wanted = frozenset().union(*(named(index, w) for w in _words(select)))
    return wanted.difference(*(named(index, w) for w in _words(ignore)))


def _words(given: Iterable[str]) -> Iterator[str]:
    for one in given:
        yield from (w for w in one.split(",") if w.strip()) if "," in one else (one,)


class Projects:
    """The settings that hold for a file: those of the nearest pyproject.toml above it that has a
    ``[tool.medic]`` table."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._seen: dict[Path, Settings | None] = {}

    def of(self, file: str) -> Settings | None:
        return self._above(Path(file).absolute().parent)

    def _above(self, folder: Path) -> Settings | None:
        if folder not in self._seen:
            own = read_settings(folder / PROJECT, self._index)
            up = folder.parent
            self._seen[folder] = own or (self._above(up) if up != folder else None)
        return self._seen[folder]


def read_settings(file: Path, index: Index) -> Settings | None:
    """``[tool.medic]`` of a file; None if there is none. Raises UsageError for what is wrong."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if b"medic" not in data:
        return None
    from medic.syntax import parse

    try:
        table = _table(parse(data, _shown(file), "toml"))
    except Unreadable as problem:
        raise UsageError(problem.en, problem.zh, at=problem.at) from None
    return None if table is None else _settings(table, file, index)


def _shown(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here)) if file.is_relative_to(here) else str(file)


def _table(document: Document) -> Node | None:
    tool = document.root.get("tool") if document.root else None
    return tool.get("medic") if tool else None


def _settings(table: Node, file: Path, index: Index) -> Settings:
    select: frozenset[str] | None = None
    ignore: list[tuple[frozenset[str], int]] = []
    per_file: list[tuple[str, frozenset[str], int]] = []
    for key, value in table.items:
        name = str(key.value)
        if name == "select":
            select = frozenset().union(*(n for n, _ in _names(value, index)))
        elif name == "ignore":
            ignore += _names(value, index)
        elif name == "per-file-ignores" and value.kind == "mapping":
            for pattern, listed in value.items:
                per_file += [(str(pattern.value), n, at) for n, at in _names(listed, index)]
        elif name != "keys":  # those are the app's
            _refuse(key, name)
    return Settings(str(file), select, tuple(ignore), tuple(per_file))


def _names(value: Node, index: Index) -> list[tuple[frozenset[str], int]]:
    listed = value.elements if value.kind == "sequence" else (value,)
    found = []
    for word in listed:
        at = f"{word.span.file}:{word.span.line}"
        found.append((named(index, str(word.value), at), word.span.line))
    return found


def _refuse(key: Node, name: str) -> NoReturn:
    from medic.nearest import did_you_mean

    hint = did_you_mean(name, KEYS)
    at = f"{key.span.file}:{key.span.line}"
    raise UsageError(
        f'[tool.medic] has no key "{name}"{hint.en}',
        f"[tool.medic] 没有键 “{name}”{hint.zh}",
        at=at,
    )
