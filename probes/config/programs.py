"""Python files of a launch: which are read, and which of them only state defaults."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from medic.errors import Unreadable
from medic.facts import Document, GivenFile, Launch
from medic.probe import Look
from medic.records import replace
from medic.run_config import MORE

from .carriers import Stated
from .recognise import Recogniser

# The raw text of a value that only the running program knows.
_UNKNOWN = "$"
# What the code of a script says of recomputation (medic/syntax/python_trainer.py).
RECOMPUTES = "model_recomputes"


def programs(look: Look, launches: Sequence[Launch]) -> list[GivenFile]:
    """Python files that belong to the run: those that the user named, or a command does; without a
    command or a configuration the only one beside the logs."""
    words = [w for one in launches for w in (one.script, *one.arguments) if w is not None]
    names = {PurePath(word.value).name for word in words if word.value}
    given = look.files("python")
    alone = len(given) == 1 and not (launches or look.files("config") or look.files("script"))
    if alone and look.files("log"):
        return list(given)
    return [file for file in given if file.named or PurePath(file.name).name in names]


def beside_arguments(
    look: Look, reader: Recogniser, launches: Sequence[Launch], files: Sequence[Stated]
) -> list[Stated]:
    """The only program of a folder, where no command is there and a file holds the arguments: one
    that takes them as they are, and states nothing that a file does."""
    given = look.files("python")
    if launches or len(given) != 1 or given[0].named or not files:
        return []
    try:
        stated = reader.file(given[0], look.parse(given[0].path))
    except Unreadable:
        return []
    if stated is None or {(RECOMPUTES,), (MORE,)} - {s.path for s in stated.settings}:
        return []
    return [] if any(file.values.keys() & stated.values.keys() for file in files) else [stated]


def defaults_first(files: Sequence[Stated]) -> list[Stated]:
    """The files of a launch; of a program's globals those stay that no other file replaces.

    nanoGPT's train.py runs a configuration file in its own globals: what that sets is ruling.
    """
    return [less(file, [o for o in files if _replaces(o, file)]) for file in files]


def _replaces(other: Stated, file: Stated) -> bool:
    alike = other.framework.name == file.framework.name
    return other is not file and alike and is_program(file) and not is_program(other)


def is_program(file: Stated) -> bool:
    return file.document is not None and file.document.syntax == "python" and _computes(file)


def _computes(file: Stated) -> bool:
    """Whether some of the names are known only to the running program."""
    document: Document | None = file.document
    root = document.root if document is not None else None
    return root is not None and any(node.raw == _UNKNOWN for _, _, node in root.leaves())


def less(file: Stated, others: Sequence[Stated]) -> Stated:
    """What a file states that no other one replaces."""
    fields = {field for other in others for field in (*other.values, *other.unknown)}
    paths = {setting.path for other in others for setting in other.settings}
    if not others:
        return file
    return replace(
        file,
        values={field: value for field, value in file.values.items() if field not in fields},
        settings=tuple(s for s in file.settings if s.path not in paths),
    )
