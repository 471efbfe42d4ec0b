"""Writes a bundle: a gzipped tar of redacted texts with a manifest."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from medic import __version__
from medic.bundle import host
from medic.bundle.content import Content, content_of, mtime
from medic.bundle.names import names, unlike
from medic.bundle.unpack import FOLDER, MANIFEST, SCHEMA
from medic.case.collect import Case, NotRead
from medic.config import state_dir
from medic.errors import UsageError
from medic.facts import GivenFile
from medic.i18n import Text
from medic.records import dataclass, field
from medic.redact.hide import Redactor
from medic.text.patterns import regex

MAX_FILES = 400
MAX_TOTAL = 256 * 1024 * 1024  # bytes of text before compression
TOO_MUCH = Text("the bundle is full", "打包文件已达上限")
NAMES = "one name for the same thing in all files: <host1>, <user1>; the map stays with its owner"
_NAMED = regex(rb"<(host|user|home|ip|mac|mail|login|phone|key|gpu|serial|guid)\d+>")
SAID = "best effort: read it before you hand it on"


@dataclass
class Made:
    """What was written: ``files`` as in the manifest; ``left_out`` too, but "why" is a Text;
    ``hidden`` by kind."""

    path: str
    map_path: str = ""
    files: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[dict[str, Any]] = field(default_factory=list)
    hidden: dict[str, int] = field(default_factory=dict)
    size: int = 0


@dataclass(frozen=True)
class _Entry:
    name: str
    text: str
    kind: str
    original: int
    cut: int
    modified: int


def make(case: Case, output: str, *, with_host: bool = True) -> Made:
    """Writes the bundle and, beside medic's own state, the map of what was hidden (mode 0600).

    Raises UsageError where the file is there already, it or the map cannot be written (neither is
    left then), or where a second scan finds something that the first should have hidden.
    """
    if Path(output).exists():
        raise UsageError("it is there already", "该文件已存在", at=output)
    redact, made = Redactor(), Made(output)
    made.left_out = [_refused(n) for n in case.not_read]
    entries = list(_of_case(case, made))
    last = max((f.modified for f in case.files), default=time.time())
    entries += _of_host(last) if with_host else ()
    for entry in entries:
        redact.learn(entry.text)
    for entry in entries:
        redact.learn_alike(entry.text)
    called = unlike(_safe(redact(e.name)) for e in entries)
    files = [
        (n, redact(e.text).encode("utf-8", "surrogateescape"), e)
        for n, e in zip(called, entries, strict=True)
    ]
    for row in made.left_out:
        row["name"] = redact(row["name"])
    made.files = [_row(name, data, entry) for name, data, entry in files]
    made.hidden = redact.counts()
    manifest = redact(json.dumps(_manifest(made), indent=1, ensure_ascii=False))
    members = [(MANIFEST, manifest.encode("utf-8", "backslashreplace"), int(time.time()))]
    members += [(name, data, entry.modified) for name, data, entry in files]
    _scan_again(members, redact)
    # The map first: without it nobody can tell what a name in the bundle stands for.
    made.map_path = _write_map(redact, output)
    try:
        _write(output, members)
    except BaseException:
        if made.map_path:
            _remove(made.map_path)
        raise
    made.size = Path(output).stat().st_size
    return made


def _of_case(case: Case, made: Made) -> Iterator[_Entry]:
    """The texts of the case's files, newest first; what is no text is only named."""
    total = 0
    called, done = names(case), set[str]()
    for number, file in enumerate(case.files):
        full = os.path.realpath(file.path)
        if file.name in case.parts or full in done:
            continue
        done.add(full)
        found = TOO_MUCH if number >= MAX_FILES or total > MAX_TOTAL else content_of(file)
        if isinstance(found, Text):
            row = {"name": called[file.path], "bytes": file.size, "why": found}
            made.left_out.append(row)
            continue
        total += len(found.text)
        yield _entry(found, called[file.path], file)
    if case.text:
        yield _Entry("run/pasted.txt", case.text, "note", len(case.text), 0, int(time.time()))


def _entry(found: Content, called: str, file: GivenFile) -> _Entry:
    name = str(Path(called).with_name(Path(found.name).name))
    return _Entry(f"run/{name}", found.text, file.kind, file.size, found.cut, mtime(file.path))


def _of_host(last: float) -> Iterator[_Entry]:
    for name, text in host.texts(last):
        yield _Entry(f"host/{name}", text, "host-report", len(text), 0, int(time.time()))


def _safe(name: str) -> str:
    """A member's name: no control characters, and the angle brackets of hidden words as they are."""
    return "".join(c if c.isprintable() else "_" for c in name)


def _refused(left: NotRead) -> dict[str, Any]:
    """What finding the case's files left out; its size is not known."""
    return {"name": left.file, "bytes": 0, "why": Text(left.en, left.zh)}


def _row(name: str, data: bytes, entry: _Entry) -> dict[str, Any]:
    """``replaced``: how often each kind of name stands for what was there."""
    return {
        "name": name,
        "kind": entry.kind,
        "bytes": len(data),
        "original_bytes": entry.original,
        "cut_bytes": entry.cut,
        "modified": entry.modified,
        "sha256": hashlib.sha256(data).hexdigest(),
        "replaced": dict(sorted(Counter(m[1].decode() for m in _NAMED.finditer(data)).items())),
    }


def _manifest(made: Made) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "medic": __version__,
        "created": int(time.time()),
        "redaction": {"hidden": made.hidden, "names": NAMES, "note": SAID},
        "files": made.files,
        "left_out": [{**row, "why": row["why"].en} for row in made.left_out],
    }


def _scan_again(members: Sequence[tuple[str, bytes, int]], redact: Redactor) -> None:
    """A second pass over what will be written: it must change nothing."""
    for name, data, _ in members:
        text = data.decode("utf-8", "surrogateescape")
        if redact(text) != text or redact(name) != name:
            raise UsageError(
                "a second scan still found something to hide; nothing was written",
                "第二次扫描仍发现应隐去的内容；未写出任何文件",
                at=name,
            )


def _write(output: str, members: Sequence[tuple[str, bytes, int]]) -> None:
    """Owner and machine do not go into the archive."""
    with (
        _private(output, os.O_EXCL) as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, data, modified in members:
            info = tarfile.TarInfo(f"{FOLDER}/{name}")
            info.size, info.mtime, info.mode = len(data), modified, 0o600
            archive.addfile(info, io.BytesIO(data))


def _write_map(redact: Redactor, output: str) -> str:
    """The map stays here: it is never part of the bundle."""
    if not redact.map:
        return ""
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{Path(output).name[:80]}.json"
    path = str(state_dir("bundles") / name)
    with _private(path, os.O_TRUNC) as file:
        file.write(
            json.dumps(dict(redact.map), indent=1, ensure_ascii=False).encode(
                "utf-8", "backslashreplace"
            )
        )
    return path


@contextmanager
def _private(path: str, flag: int) -> Iterator[BinaryIO]:
    """A file of mode 0600 to write to; what could not be written whole is removed.

    ``flag``: O_EXCL or O_TRUNC, for a file of that name. Raises UsageError.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | flag, 0o600)
    except OSError as problem:
        raise _unwritten(problem, path) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
    except OSError as problem:
        _remove(path)
        raise _unwritten(problem, path) from None
    except BaseException:
        _remove(path)
        raise


def _unwritten(problem: OSError, path: str) -> UsageError:
    words = problem.strerror or "cannot be written"
    return UsageError(words, words, at=path)


def _remove(path: str) -> None:
    with suppress(OSError):
        Path(path).unlink()
