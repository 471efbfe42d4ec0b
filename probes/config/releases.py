"""The probe of the versions that will run: installed beside the files, pinned by them, or noted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path

from medic.errors import Unreadable
from medic.facts import GivenFile, Release, Releases, Source
from medic.i18n import Text
from medic.probe import Look, Probe
from medic.text.patterns import regex
from medic.versions import pins

from ..host_python import dist_infos, site_packages
from .pins import PACKAGES, noted, pinned

_PINNING = regex(
    r"^(?:requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|pyproject\.toml|"
    r"(?:conda[_-]?)?env(?:ironment)?[\w.-]*\.ya?ml|setup\.cfg|setup\.py|uv\.lock|poetry\.lock|"
    r"Pipfile(?:\.lock)?)$"
)
_ROOT = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
_HOMES = (".venv", "venv")
_LEVELS = 4
_MAX_FILES, _MAX_LINES, _MAX_BYTES = 12, 20_000, 4 * 1024 * 1024
LONG = 400  # no requirement is longer
# Of a configuration only the head says for which version it was written.
_HEAD = 200


def run(look: Look) -> Iterator[Releases]:
    """What an environment in use says comes before what the files pin; that, before the python
    that happens to be on PATH.
    """
    found: dict[str, Release] = {}
    files = [f for f in look.files("config", "script", "python") if not f.name.startswith("<")]
    if not files:
        return
    folders = _folders(files)
    told = (
        _installed(_environments(folders)),
        _pins(look, folders),
        _installed(site_packages(os.environ)),
        _notes(look, files),
    )
    for package, release in chain.from_iterable(told):
        found.setdefault(package, release)
    yield Releases(dict(sorted(found.items())))


def _folders(files: list[GivenFile]) -> list[Path]:
    """The folders of the files and of their project, the nearest first."""
    found: dict[Path, None] = {}
    for folder in dict.fromkeys(Path(file.path).absolute().parent for file in files):
        found[folder] = None
        above = [folder, *folder.parents][:_LEVELS]
        root = next((one for one in above if _held(one, _ROOT)), None)
        if root is not None:
            found |= dict.fromkeys(above[: above.index(root) + 1])
    return list(found)


def _held(folder: Path, names: tuple[str, ...]) -> Sequence[str]:
    """Which of the names a folder holds; a lint of many files asks it of theirs for each."""
    try:
        changed = os.stat(folder).st_mtime_ns  # noqa: PTH116 - much faster
    except OSError:
        return ()
    return _names(str(folder), names, changed)


@lru_cache(maxsize=128)
def _names(folder: str, names: tuple[str, ...], _changed: int) -> Sequence[str]:
    return [name for name in names if os.path.exists(f"{folder}/{name}")]  # noqa: PTH110


def _environments(folders: list[Path]) -> list[Path]:
    """Packages of the environment that lies beside the files, or is active."""
    homes = [folder / name for folder in folders for name in _held(folder, _HOMES)]
    active = [os.environ.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    homes += [Path(home) for home in active if home]
    there = [home for home in homes if os.path.isdir(home)]  # noqa: PTH112 - much faster
    return [site for home in there for site in sorted(home.glob("lib/python3*/site-packages"))]


def _installed(sites: list[Path]) -> Iterator[tuple[str, Release]]:
    """By the names of the packages' dist-info folders; nothing is imported."""
    for site in sites:
        with suppress(OSError):
            yield from _packages(site, site.stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _packages(site: Path, _changed: int) -> Sequence[tuple[str, Release]]:
    """A lint of many files looks at the same environment for each."""
    return [
        (name, Release(version, version, Source(file=str(folder))))
        for name, told, folder in dist_infos([site])
        if name in PACKAGES and (version := told.partition("+")[0])
    ]


def _pins(look: Look, folders: list[Path]) -> Iterator[tuple[str, Release]]:
    """One release a package: the one exact version, else the first range; of several exact ones,
    for test or documentation, none can be told.
    """
    found: dict[str, list[Release]] = {}
    for package, release in _all_pins(look, folders):
        found.setdefault(package, []).append(release)
    for package, releases in found.items():
        exact = {release.version: release for release in reversed(releases) if release.version}
        if len(exact) <= 1:
            yield package, next(iter(exact.values()), releases[0])


def _all_pins(look: Look, folders: list[Path]) -> Iterator[tuple[str, Release]]:
    files: list[Path] = []
    for folder in folders:
        with suppress(OSError):
            files += _pinning(folder, folder.stat().st_mtime_ns)
    for file in files[:_MAX_FILES]:
        shown = os.path.relpath(file) if not os.path.relpath(file).startswith("..") else str(file)
        for package, low, high, below, line in pinned(_lines(look, str(file), _MAX_LINES)):
            yield package, Release(low, high, Source(file=shown, line=line), below)


@lru_cache(maxsize=32)
def _pinning(folder: Path, _changed: int) -> Sequence[Path]:
    """The files of a folder that may pin; a lint of many files looks at theirs for each."""
    names = os.listdir(folder)  # noqa: PTH208 - much faster
    return [folder / name for name in sorted(names) if _pins_in(name)]


def _pins_in(name: str) -> bool:
    """Most names begin otherwise: the pattern is not compiled for them."""
    return pins(name) and _PINNING.match(name) is not None


def _notes(look: Look, given: list[GivenFile]) -> Iterator[tuple[str, Release]]:
    for file in given:
        if file.kind in ("config", "script"):
            for package, low, high, below, line in noted(_lines(look, file.path, _HEAD)):
                yield package, Release(low, high, Source(file=file.name, line=line), below)


def _lines(look: Look, path: str, most: int) -> list[str]:
    try:
        with look.open(path, _MAX_BYTES) as handle:
            text = handle.read(_MAX_BYTES).decode("utf-8", "replace")
    except (Unreadable, OSError):
        return []
    return [line[:LONG] for line in text.splitlines()[:most]]


PROBE = Probe(
    name="config-releases",
    title=Text("pinned versions", "锁定的软件版本"),
    tells=(),
    run=run,
    gives=(Releases,),
    seconds=0.02,
    limit_seconds=5,
)
