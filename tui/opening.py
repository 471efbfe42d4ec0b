"""What the case holds, said before anything is read: one line a piece of evidence."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from medic.i18n import Text, plain
from medic.report.words import file_name

from . import words, words_keep
from .lines import Block, Line, joined, said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from medic.case.collect import Case
    from medic.facts import GivenFile

SHOWN = 6
MAX_RUNS = 8
ORDER = tuple(words_keep.KIND)
UNITS = ("B", "kB", "MB", "GB", "TB")


def opening(case: Case, *, which: bool = False) -> list[Block]:
    """The pieces of evidence, or which run there is to choose (``which``)."""
    if which:
        return []
    if not case.files and not case.text:
        return []
    if not case.files:
        return [said(words.PASTED_TEXT)]
    return [files(case, SHOWN)]


def ordered(case: Case) -> list[GivenFile]:
    """The files in the order of their numbers: logs first."""
    place = {kind: i for i, kind in enumerate(ORDER)}
    return sorted(case.files, key=lambda f: (place.get(f.kind, 99), f.rank or 0, f.name))


def files(case: Case, shown: int = 0) -> Block:
    """The files with their numbers, what each was read as, and its size."""
    every = ordered(case)
    if not every:
        return said(words_keep.NO_FILES)
    root = shown_root(case.root) if case.root else words.PASTED
    title = words_keep.FOUND if shown else words_keep.ALL_FILES
    lines = [Line(title.fill(root=root, n=len(every)), aside=words_keep.LEAVE_OUT)]
    kept = every[:shown] if shown and len(every) > shown + 1 else every
    for number, file in enumerate(kept, start=1):
        name = file_name(shown_name(file, case.root))
        lines.append(Line(name, mark=f"{number}  ", indent=1, where=read_as(file)))
    if len(every) > len(kept):
        more = words_keep.MORE_FILES.fill(n=len(every) - len(kept))
        lines.append(Line(more, "muted", indent=4))
    return Block("medic", tuple(lines))


def shown_root(root: str) -> str:
    """A folder as it is called: "." says nothing."""
    return Path.cwd().name or root if root == "." else root


def shown_name(file: GivenFile, root: str) -> str:
    """A file below the folder that was given, without that folder."""
    inside = file.path.removeprefix(root.rstrip("/") + "/")
    return inside if inside != file.path else file.name


def read_as(file: GivenFile) -> Text:
    """What a file was taken for, and its size."""
    kind = words_keep.KIND.get(file.kind, words_keep.KIND["other"])
    if file.rank is not None:
        apart = " " if kind.zh[:1].isascii() else ""
        kind = words_keep.OF_RANK.fill(kind=Text(kind.en, apart + kind.zh), rank=file.rank)
    return words_keep.READ_AS.fill(kind=kind, size=size_of(file.size))


def size_of(size: float) -> str:
    """A number of bytes as people read it."""
    for unit in UNITS:
        if size < 1000 or unit == UNITS[-1]:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError(size)


def runs(case: Case, stand: Mapping[str, Text] | None = None) -> tuple[tuple[str, Text], ...]:
    """The newest runs of the folder as options, with the time of their last line and, where it is
    known, how each stands."""
    from medic.case.folders import newest_log

    found = []
    for i, name in enumerate(case.runs[:MAX_RUNS]):
        at = newest_log(str(Path(case.root) / name))
        told = [plain(time.strftime("%Y-%m-%d %H:%M", time.localtime(at)))] if at else []
        told += [words_keep.NEWEST] if i == 0 and told else []
        told += [stand[name]] if stand and name in stand else []
        shown = Text("{name}  ({told})", "{name}（{told}）")
        said_of = joined(told, ", ", "，")
        found.append((name, shown.fill(name=name, told=said_of) if told else plain(name)))
    return tuple(found)
