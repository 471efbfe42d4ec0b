"""Unpacks a bundle, or any tar of a run's texts, into a folder of its own. Its names are hostile."""

from __future__ import annotations

import gzip
import os
import tarfile
import zlib
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any

from medic.errors import Unreadable
from medic.runner.look import open_regular

FOLDER, MANIFEST, SCHEMA = "medic-bundle", "manifest.json", "medic.bundle/1"
ENDS = (".tar.gz", ".tgz", ".tar")
MAX_MEMBERS, MAX_DEPTH, MAX_NAME = 5_000, 12, 240
SAMPLED = 24  # members looked at to tell a shard of samples from a run's texts
MAX_TOTAL = 1 << 30  # bytes unpacked
MAX_MEMBER = 512 * 1024 * 1024


def is_bundle(path: str) -> bool:
    """Whether a file's name and first bytes say that it is a tar, gzipped or not."""
    if not path.lower().endswith(ENDS):
        return False
    try:
        with open_regular(path) as file:
            head = file.read(512)
    except Unreadable:
        return False
    return head[:2] == b"\x1f\x8b" or (head[257:262] == b"ustar" and not _holds_samples(path))


def _holds_samples(path: str) -> bool:
    """Whether a tar is a WebDataset shard: its members come in groups of one stem, each with the
    same endings (https://github.com/webdataset/webdataset, "The WebDataset Format")."""
    groups: dict[str, list[str]] = {}
    try:
        with open_regular(path) as raw, tarfile.open(fileobj=raw, mode="r:") as archive:
            for info in islice(archive, SAMPLED):
                if info.isreg():
                    stem, _, ending = PurePosixPath(info.name).name.partition(".")
                    groups.setdefault(stem, []).append(ending)
    except (tarfile.TarError, OSError, ValueError, OverflowError):
        return False
    first, *others = list(groups.values()) or [[]]
    whole = others[:-1] if len(groups) > 2 and len(others[-1]) < len(first) else others
    alike = bool(whole) and all(sorted(g) == sorted(first) for g in whole)
    return alike and (len(first) > 1 or all(stem.isdigit() for stem in groups))


def unpack(path: str, folder: str) -> list[str]:
    """Writes the regular files of an archive below ``folder``; the reasons for what was left out.

    Nothing is written outside the folder: names are rebuilt from their plain parts, links and
    devices are left out, sizes are counted as they are read. Raises Unreadable for what is no tar
    or exceeds the limits.
    """
    left: list[str] = []
    try:
        with open_regular(path) as raw, _stream(raw) as stream:
            limited: Any = _Limited(stream, MAX_TOTAL)
            with tarfile.open(fileobj=limited, mode="r|") as archive:
                _members(archive, Path(folder), left)
    except (tarfile.TarError, EOFError, zlib.error, OSError, ValueError, OverflowError) as problem:
        words = type(problem).__name__
        raise Unreadable(
            f"no archive that can be read to its end ({words})",
            f"归档无法完整读取（{words}）",
            at=path,
        ) from None
    return left


def _stream(raw: IO[bytes]) -> Any:
    head = raw.read(2)
    raw.seek(0)
    return gzip.GzipFile(fileobj=raw, mode="rb") if head == b"\x1f\x8b" else raw


class _Limited:
    """Stops a stream that yields more than it may: a small archive can hold a huge one."""

    def __init__(self, stream: Any, limit: int) -> None:
        self._stream = stream
        self._left = limit

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(min(size, 1 << 20) if size >= 0 else 1 << 20)
        self._left -= len(data)
        if self._left < 0:
            raise Unreadable(
                f"larger than {MAX_TOTAL:,} bytes when unpacked", f"解压后超过 {MAX_TOTAL:,} 字节"
            )
        return data


def _members(archive: tarfile.TarFile, folder: Path, left: list[str]) -> None:
    seen: set[str] = set()
    for number, info in enumerate(archive):
        if number >= MAX_MEMBERS:
            raise Unreadable(f"more than {MAX_MEMBERS:,} members", f"成员超过 {MAX_MEMBERS:,} 个")
        name = plain_name(info.name)
        if not info.isreg() or name is None or info.size > MAX_MEMBER or name in seen:
            if not info.isdir():
                left.append(info.name[:MAX_NAME])
            continue
        seen.add(name)
        data = archive.extractfile(info)
        if data is not None:
            _write(folder / name, data, info)


def plain_name(name: str) -> str | None:
    """A relative path of plain parts, or None for a name that would lead elsewhere."""
    path = PurePosixPath(name.replace("\\", "/"))
    parts = [p for p in path.parts if p != "."]
    odd = path.is_absolute() or ".." in parts or any("\0" in p or ":" in p[:2] for p in parts)
    if odd or not parts or len(parts) > MAX_DEPTH or any(len(p.encode()) > MAX_NAME for p in parts):
        return None
    return "/".join(parts)


def _write(target: Path, data: IO[bytes], info: tarfile.TarInfo) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(
        target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600
    )
    with os.fdopen(handle, "wb") as file:
        while piece := data.read(1 << 20):
            file.write(piece)
    when = min(max(float(info.mtime), 0.0), 4e9)
    os.utime(target, (when, when))
