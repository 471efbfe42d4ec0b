"""The knowledge at run time: entries decoded on demand from the compiled JSON."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from types import UnionType
from typing import Any, Generic, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from medic.entries import (
    ENTRY_TYPES,
    Cause,
    Check,
    Framework,
    Outcome,
    Procedure,
    Range,
    Remedy,
    Symptom,
    ToldBy,
)
from medic.i18n import Text

T = TypeVar("T")


class Lazy(Mapping[str, T], Generic[T]):
    """Entries by name, each decoded when first read."""

    def __init__(self, kind: type[T], raw: Mapping[str, Any]) -> None:
        self._kind = kind
        self._raw = raw
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = decode(self._kind, self._raw[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __contains__(self, name: object) -> bool:
        return name in self._raw


@dataclass(frozen=True)
class Index:
    """All entries. ``checks`` holds the lint checks of causes beside the written ones."""

    raw: Mapping[str, Any]

    @cached_property
    def symptoms(self) -> Mapping[str, Symptom]:
        return Lazy(Symptom, self.raw["symptoms"])

    @cached_property
    def causes(self) -> Mapping[str, Cause]:
        return Lazy(Cause, self.raw["causes"])

    @cached_property
    def remedies(self) -> Mapping[str, Remedy]:
        return Lazy(Remedy, self.raw["remedies"])

    @cached_property
    def procedures(self) -> Mapping[str, Procedure]:
        return Lazy(Procedure, self.raw["procedures"])

    @cached_property
    def frameworks(self) -> Mapping[str, Framework]:
        return Lazy(Framework, self.raw["frameworks"])

    @cached_property
    def checks(self) -> Mapping[str, Check]:
        written = {name: decode(Check, raw) for name, raw in self.raw["checks"].items()}
        lints = {
            name: lint_check(self.causes[name])
            for name, raw in self.raw["causes"].items()
            if raw.get("lint")
        }
        return {**written, **lints}

    @cached_property
    def lint_names(self) -> frozenset[str]:
        return frozenset(name for name, raw in self.raw["causes"].items() if raw.get("lint"))

    def links(self, cause: str) -> tuple[ToldBy, ...]:
        """The cause's links to check outcomes, its own lint check among them."""
        entry = self.causes[cause]
        if entry.lint is None:
            return entry.told_by
        return (*entry.told_by, ToldBy(entry.name, "fires", entry.lint.weight))

    def title(self, name: str) -> Text:
        for kind in ("causes", "symptoms", "checks", "remedies", "procedures"):
            if name in self.raw[kind]:
                return decode(Text, self.raw[kind][name]["title"])
        return Text(name, name)

    def by_code(self, code: str) -> str | None:
        wanted = code.upper()
        for name, raw in self.raw["causes"].items():
            if raw["code"] == wanted:
                return str(name)
        return None


def lint_check(cause: Cause) -> Check:
    """The check that a cause's lint words create."""
    lint = cause.lint
    if lint is None:
        raise ValueError(cause.name)
    return Check(
        name=cause.name,
        family="config",
        title=cause.title,
        outcomes={
            "passes": Outcome(Text("looked and found nothing", "检查通过"), normal=True),
            "fires": Outcome(cause.title, otherwise=lint.otherwise, seen=lint.message),
        },
    )


# --- decoding -------------------------------------------------------------------------------


def decode(kind: type[T], data: Any) -> T:
    """Compiled JSON data -> the entry dataclass. The data was validated when it was compiled."""
    made: T = _decoder(cast("Hashable", kind))(data)
    return made


def _same(value: Any) -> Any:
    return value


@cache
def _decoder(kind: Any) -> Callable[[Any], Any]:
    origin, args = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass_decoder(kind)
    if origin is tuple:
        item = _decoder(args[0])
        return lambda value: tuple(item(v) for v in value)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        item = _decoder(args[1])
        return lambda value: {k: item(v) for k, v in value.items()}
    if origin in (Union, UnionType):
        return _union_decoder(args)
    if origin is Literal:
        return _same
    return _same


def _union_decoder(args: tuple[Any, ...]) -> Callable[[Any], Any]:
    objects = [a for a in args if is_dataclass(a)]
    has_tuple = any(get_origin(a) is tuple for a in args)

    def union(value: Any) -> Any:
        if isinstance(value, dict) and objects:
            return _decoder(cast("Hashable", objects[0]))(value)
        if isinstance(value, list) and has_tuple:
            return tuple(value)
        return value

    return union


def _dataclass_decoder(kind: type[Any]) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    parts = {f.name: _decoder(hints[f.name]) for f in fields(kind)}

    def make(data: Any) -> Any:
        return kind(**{k: parts[k](v) for k, v in data.items()})

    return make


# --- loading --------------------------------------------------------------------------------


def load(extra: Path | None = None) -> Index:
    """The shipped knowledge, with a team's own folder on top. Raises KnowledgeError."""
    packaged = files("medic.knowledge")
    compiled = packaged / "compiled.json"
    if extra is None and compiled.is_file():
        return Index(json.loads(compiled.read_bytes()))
    folders = [Path(str(packaged))]
    if extra is not None:
        folders.append(extra)
    return Index(_cached(folders))


def _cached(folders: list[Path]) -> Any:
    from medic.config import cache_dir

    cache = cache_dir() / f"knowledge-{_fingerprint(folders)}.json"
    try:
        return json.loads(cache.read_bytes())
    except (OSError, ValueError):
        pass
    from medic.schema import compile_knowledge, dump

    compiled = compile_knowledge(folders)
    _store(cache, dump(compiled))
    return compiled


def _store(cache: Path, data: bytes) -> None:
    """Keeps the newest compiled form only; a cache that cannot be written is no failure."""
    try:
        for old in cache.parent.glob("knowledge-*.json"):
            old.unlink(missing_ok=True)
        part = cache.with_suffix(f".{os.getpid()}")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        part.replace(cache)
    except OSError:
        return


def _fingerprint(folders: list[Path]) -> str:
    digest = hashlib.sha256()
    sources = [
        *folders,
        Path(__file__).with_name("entries.py"),
        Path(__file__).with_name("schema.py"),
    ]
    for folder in sources:
        for file in sorted(folder.rglob("*.yaml")) if folder.is_dir() else [folder]:
            stat = file.stat()
            digest.update(f"{file}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


__all__ = ["ENTRY_TYPES", "Index", "Range", "decode", "lint_check", "load"]
