"""Configurations and the program that a command of a given script names, and that lie beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from medic.case.collect import Case
from medic.case.filekind import kind_of
from medic.case.folders import given_file, shown
from medic.case.programs import MAX_PROGRAMS, imported
from medic.facts import FileKind, GivenFile, Launch, Launches
from medic.lint.files import LAUNCH_CONFIGS
from medic.records import replace

_ENDINGS = (".json", ".yaml", ".yml", ".toml")
_FLAGS = ("config", "config_file", "deepspeed")  # how the flags end that name a configuration
_ABOVE = 3  # folders over the script's: scripts/train/run.sh starts src/train.py from the top


def with_named(case: Case, launches: Launches | None) -> tuple[Case, tuple[str, ...]]:
    """The case with the configurations and programs that its commands name, and their names; no
    configurations beyond those that one launch can have."""
    scripts = {file.path for file in case.files if file.kind == "script"}
    own = [one for one in launches.launches if one.span.file in scripts] if launches else []
    if not own:
        return case, ()
    known = {Path(file.path).resolve() for file in case.files}
    found: dict[Path, GivenFile] = {}
    for launch in own:
        for path in _named(launch):
            if path.resolve() not in known and (file := _as_given(path, "config")) is not None:
                found.setdefault(path.resolve(), file)
    if len(found) > LAUNCH_CONFIGS:
        found = {}
    told = [file.name for file in found.values()]
    if not any(file.kind == "python" for file in case.files):
        for program, imported in _programs(own):
            told.append(program.name)
            found |= {Path(file.path).resolve(): file for file in (program, *imported)}
    if not found:
        return case, ()
    return replace(case, files=(*case.files, *found.values())), tuple(told)


def _named(launch: Launch) -> Iterator[Path]:
    """Paths below the script's folder that stand behind a flag for them, or alone."""
    folder = Path(launch.span.file).parent
    words: Sequence[str] = [w.value or "" for w in (*launch.launcher_words, *launch.arguments)]
    for before, word in zip(["", *words], words, strict=False):
        flag, equals, value = word.partition("=")
        name, text = (flag, value) if equals else (before if before.startswith("-") else "", word)
        wanted = not name or name.replace("-", "_").endswith(_FLAGS)
        path = PurePath(text)
        inside = bool(text) and not path.is_absolute() and ".." not in path.parts
        if wanted and inside and text.endswith(_ENDINGS) and not text.startswith("-"):
            yield folder / path


def _as_given(path: Path, kind: FileKind) -> GivenFile | None:
    try:
        if not path.is_file() or kind_of(str(path)) != kind:
            return None
        return given_file(str(path), shown(str(path)), kind, path.stat())
    except (OSError, ValueError):
        return None


# --- programs -------------------------------------------------------------------------------


def _programs(launches: Sequence[Launch]) -> Iterator[tuple[GivenFile, list[GivenFile]]]:
    """The program of each command, and the files of its own that it imports."""
    seen: set[Path] = set()
    for launch in launches:
        for root, path in _candidates(launch):
            file = _as_given(path, "python")
            if file is None:
                continue
            if path not in seen and len(seen) < MAX_PROGRAMS:
                seen.add(path)
                own = (_as_given(one, "python") for one in imported(path, root))
                yield file, [one for one in own if one is not None]
            break


def _candidates(launch: Launch) -> Iterator[tuple[Path, Path]]:
    """(folder that the command may start in, the program from there), nearest first."""
    text = launch.script.value or "" if launch.script is not None else ""
    words = [word.value for word in launch.launcher_words]
    if "-m" in words or "--module" in words:
        text = text.replace(".", "/") + ".py"
    path = PurePath(text)
    if not text.endswith(".py") or path.is_absolute() or ".." in path.parts:
        return
    folder = Path(launch.span.file).absolute().parent
    for root in (folder, *list(folder.parents)[:_ABOVE]):
        yield root, root / path
