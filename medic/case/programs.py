"""Programs that a launch script of the folder names and that lie outside of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from medic.case.filekind import kind_of
from medic.facts import GivenFile
from medic.text.patterns import regex

MAX_PROGRAMS = 4
MAX_IMPORTED = 24  # files of its own that one program's parser may lie in
MAX_SCRIPTS, SCRIPT_BYTES = 8, 256 * 1024
# A command that starts Python, and the program behind its options.
_STARTS = regex(r"\b(?:python[\d.]*|torchrun|accelerate|deepspeed|torch\.distributed\.\w+|srun)\b")
_PROGRAM = regex(r"(?<![\w./$\"'{}-])(?P<path>(?:\.{0,2}/)?(?:[\w.+-]+/)*[\w+-]+\.py)(?![\w/])")
_COMMENT = regex(r"(?m)(?:^|\s)#.*$")


def outside(folder: str, files: Sequence[GivenFile]) -> list[tuple[str, list[str]]]:
    """(script's name, paths of the program that it names and of what this imports); none where the
    folder holds Python of its own."""
    if any(file.kind == "python" for file in files):
        return []
    found: list[tuple[str, list[str]]] = []
    seen: set[Path] = set()
    for script in [f for f in files if f.kind == "script"][:MAX_SCRIPTS]:
        for path in _named(Path(script.path), Path(folder)):
            if path not in seen and len(seen) < MAX_PROGRAMS:
                seen.add(path)
                more = [str(one) for one in imported(path, path.parent)]
                found.append((script.name, [str(path), *more]))
    return found


def _named(script: Path, folder: Path) -> Iterator[Path]:
    try:
        if script.stat().st_size > SCRIPT_BYTES:
            return
        text = script.read_text("utf-8", errors="replace")
    except OSError:
        return
    text = _COMMENT.sub("", text).replace("\\\n", " ")
    for line in text.splitlines():
        started = _STARTS.search(line)
        for found in _PROGRAM.finditer(line, started.end()) if started else ():
            path = next(filter(_is_program, _places(found["path"], script, folder)), None)
            if path is not None:
                yield path
                break


def _places(path: str, script: Path, folder: Path) -> Iterator[Path]:
    """Where a command may find it: from the script's folder, or from the run's."""
    for root in (script.parent, folder):
        yield Path(os.path.realpath(root / path))


def _is_program(path: Path) -> bool:
    try:
        return path.is_file() and kind_of(str(path)) == "python"
    except (OSError, ValueError):
        return False


def imported(program: Path, root: Path) -> Iterator[Path]:
    """Files below the start's folder, or beside the program, that it and they import."""
    waiting, seen = [program], {program}
    while waiting and len(seen) <= MAX_IMPORTED:
        here = waiting.pop(0)
        for name in _imports(here):
            for base in (here.parent, program.parent, root):
                path = base / name
                if path not in seen and path.is_file() and len(seen) <= MAX_IMPORTED:
                    seen.add(path)
                    waiting.append(path)
                    yield path
                    break


def _imports(path: Path) -> Iterator[str]:
    """The paths that the import statements at the beginning of lines may mean."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        words = line.split()
        if line[:1].isspace() or len(words) < 2 or words[0] not in ("from", "import"):
            continue
        dotted = words[1].strip(",").lstrip(".")
        if not dotted:
            names = [w.strip(",()") for w in words[3:]]
            yield from (f"{name}.py" for name in names if name.isidentifier())
            continue
        stem = dotted.replace(".", "/")
        yield f"{stem}.py"
        yield f"{stem}/__init__.py"
        if words[0] == "from" and len(words) > 3:
            names = [w.strip(",()") for w in words[3:]]
            yield from (f"{stem}/{name}.py" for name in names if name.isidentifier())
