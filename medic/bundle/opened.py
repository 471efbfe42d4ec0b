"""A bundle among the paths of a case: unpacked for as long as the process lives."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from medic.bundle.standins import put_in
from medic.bundle.unpack import FOLDER, MANIFEST, MAX_MEMBERS, MAX_NAME, is_bundle, unpack
from medic.case.collect import Case, NotRead
from medic.facts import GivenFile
from medic.records import dataclass, replace

MAX_MANIFEST = 8 * 1024 * 1024  # bytes


@dataclass(frozen=True)
class Opened:
    """``paths`` with folders in place of bundles; ``places``: folder -> the bundle's path."""

    paths: tuple[str, ...]
    places: Mapping[str, str]
    left_out: tuple[NotRead, ...] = ()

    def told(self, words: str) -> str:
        """Words with the bundles' own names in place of the folders that they are unpacked to."""
        for folder, bundle in self.places.items():
            words = words.replace(folder, bundle)
        return words


def opened(paths: Sequence[str]) -> Opened:
    """Unpacks every bundle into a folder of its own, removed at the end of the process.

    Raises Unreadable for an archive that cannot be read, or exceeds the limits.
    """
    result: list[str] = []
    places: dict[str, str] = {}
    left: list[NotRead] = []
    for path in paths:
        if not is_bundle(path):
            result.append(path)
            continue
        folder = tempfile.mkdtemp(prefix="medic-bundle-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        why = ("no plain file of the archive", "不是归档中的普通文件")
        left += [NotRead(f"{path}:{name}", *why) for name in unpack(path, folder)]
        inner = Path(folder) / FOLDER
        left += _cut(path, inner / MANIFEST)
        if (inner / MANIFEST).is_file():
            put_in(inner)
        (inner / MANIFEST).unlink(missing_ok=True)
        root = str(inner if inner.is_dir() else folder)
        result.append(root)
        places[root] = path
    return Opened(tuple(result), places, tuple(left))


def _cut(bundle: str, manifest: Path) -> list[NotRead]:
    """The files of which the bundle holds less than there was, as its manifest says."""
    try:
        rows = json.loads(manifest.read_bytes()[:MAX_MANIFEST])["files"]
        cut = [(str(r["name"])[:MAX_NAME], int(r["cut_bytes"])) for r in rows[:MAX_MEMBERS]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []
    return [
        NotRead(
            f"{bundle}:{name}",
            f"{n:,} bytes of its middle were left out by medic collect, but for the lines about trouble",
            f"medic collect 略去了中间的 {n:,} 字节，仅保留与故障有关的行",
        )
        for name, n in cut
        if n > 0
    ]


def named(case: Case, found: Opened) -> Case:
    """The case with its files named as parts of their bundle: ``bundle.tar.gz:run/train.log``."""
    files = tuple(replace(f, name=_name(f, found.places)) for f in case.files)
    here = case.this_host if case.this_host is not None else False
    return replace(
        case,
        files=files,
        this_host=here,
        not_read=(*case.not_read, *found.left_out),
        root=found.places.get(case.root, case.root),
        aliases={f"{folder}/": f"{bundle}:" for folder, bundle in found.places.items()},
    )


def _name(file: GivenFile, places: Mapping[str, str]) -> str:
    for folder, bundle in places.items():
        if file.path.startswith(folder + "/"):
            return f"{bundle}:{file.path[len(folder) + 1 :]}"
    return file.name
