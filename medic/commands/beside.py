"""Configurations that a command of a given script names, and that lie beside the script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from medic.case.collect import Case
from medic.case.filekind import kind_of
from medic.case.folders import given_file
from medic.facts import GivenFile, Launch, Launches
from medic.lint.files import LAUNCH_CONFIGS, LintReport
from medic.records import replace

_ENDINGS = (".json", ".yaml", ".yml", ".toml")
_FLAGS = ("config", "config_file", "deepspeed")  # how the flags end that name a configuration


def with_named(case: Case, report: LintReport) -> tuple[Case, tuple[str, ...]]:
    """The case with the configurations that its commands name, and their names; none beyond those
    that one launch can have."""
    launches = report.facts.get(Launches)
    scripts = {file.path for file in case.files if file.kind == "script"}
    own = [one for one in launches.launches if one.span.file in scripts] if launches else []
    known = {Path(file.path).resolve() for file in case.files}
    found: dict[Path, GivenFile] = {}
    for launch in own:
        for path in _named(launch):
            if path.resolve() not in known and (file := _as_given(path)) is not None:
                found.setdefault(path.resolve(), file)
    if not found or len(found) > LAUNCH_CONFIGS:
        return case, ()
    more = tuple(found.values())
    return replace(case, files=(*case.files, *more)), tuple(file.name for file in more)


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


def _as_given(path: Path) -> GivenFile | None:
    try:
        if not path.is_file() or kind_of(str(path)) != "config":
            return None
        return given_file(str(path), str(path), "config", path.stat())
    except (OSError, ValueError):
        return None
