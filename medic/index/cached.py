"""Knowledge that was compiled before, kept in the user's cache folder by what it was made from."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from medic.index.stored import Parts, store

KEPT = 3
RECENT = 3600.0  # seconds
WORDING = (
    "likeness.py",
    "words.py",
    "documents.py",
    "synonyms.py",
    "compounds.py",
    "compared.py",
    "marks.py",
    "landmarks.py",
    "anchors.py",
    "sieve.py",
    "matchers.py",
    "sayings.py",
)  # make the terms, phrases, marks, their sieve and sayings


def cached(folders: list[Path], slow: Callable[[], None] | None = None) -> Mapping[str, Any]:
    """From the cache, or compiled anew, which ``slow`` is told of; a cache that cannot be written
    is no failure."""
    from medic.config import cache_dir
    from medic.errors import UsageError

    cache: Path | None = None
    try:
        cache = cache_dir() / f"knowledge-{_fingerprint(folders)}"
        if (cache / "words.json").is_file():
            return Parts(cache)
    except (OSError, UsageError):
        pass
    if slow is not None:
        slow()
    from medic.index.building import build

    compiled = build(folders)
    if cache is not None:
        with suppress(OSError):
            _drop_old(cache.parent)
            store(compiled, cache, 0o600)
            return Parts(cache)  # as at every later start
    return compiled


def _drop_old(folder: Path) -> None:
    """Older compiled forms go, but for the newest few, which other checkouts may use, and those
    of the last hour, which a running command may still be reading."""
    import shutil

    old = sorted(folder.glob("knowledge-*"), key=lambda p: p.stat().st_mtime)
    for path in old[: -KEPT or None]:
        if time.time() - path.stat().st_mtime < RECENT:
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _fingerprint(folders: list[Path]) -> str:
    import hashlib

    digest = hashlib.sha256()
    house = Path(__file__).parents[1]
    sources = [
        *folders,
        *(file for room in ("entries", "schema") for file in (house / room).glob("*.py")),
        *(Path(__file__).with_name(name) for name in ("building.py", "stored.py", "ties.py")),
        *(house / "match" / name for name in WORDING),
    ]
    for folder in sources:
        for file in sorted(folder.rglob("*.yaml")) if folder.is_dir() else [folder]:
            stat = file.stat()
            digest.update(f"{file}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]
