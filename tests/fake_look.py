"""A Look over the files of one folder, for tests of probes."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from medic.case.filekind import kind_of, rank_of
from medic.entries import Framework
from medic.errors import Unreadable
from medic.facts import Document, FileKind, GivenFile
from medic.index.knowledge import load
from medic.match import matcher_of
from medic.nearest import nearest
from medic.probe import Part, Scan
from medic.run_config import RunConfig
from medic.syntax import parse

T = TypeVar("T")
KNOWLEDGE = Path(__file__).resolve().parents[1] / "knowledge"


@lru_cache(maxsize=1)
def frameworks() -> tuple[Framework, ...]:
    """The shipped framework entries."""
    return tuple(load().frameworks.values())


class FakeLook:
    """Implements ``medic.probe.Look``. Facts and thresholds are what the test puts in."""

    def __init__(
        self,
        root: Path,
        *,
        facts: Sequence[Any] = (),
        checks: Sequence[str] = (),
        given: Mapping[str, Any] | None = None,
        thresholds: Mapping[str, float] | None = None,
        kinds: Mapping[str, FileKind] | None = None,
        frameworks: Sequence[Any] = (),
        host_is_the_runs: bool | None = None,
        parts: Sequence[Part] = (),
    ) -> None:
        self.root = root
        self.facts = {type(fact): fact for fact in facts}
        self.checks = frozenset(checks)
        self.given: Mapping[str, Any] = given or {}
        self.thresholds = thresholds or {}
        self.kinds = kinds or {}
        self.frameworks = frameworks
        self.gpus: Sequence[Any] = ()
        self.variables: frozenset[str] = frozenset()
        self.parts = parts
        self.accepted: dict[str, tuple[str, str]] = {}
        self.unread: dict[str, str] = {}
        self.host_is_the_runs = host_is_the_runs

    def fact(self, kind: type[T]) -> T:
        found: T = self.facts[kind]
        return found

    def with_named_sizes(self, run_config: RunConfig) -> RunConfig:
        return run_config

    def has(self, kind: type[Any]) -> bool:
        return kind in self.facts

    def files(self, *kinds: FileKind) -> Sequence[GivenFile]:
        paths = sorted(p for p in self.root.rglob("*") if p.is_file())
        return [file for path in paths if (file := self._given(path)).kind in kinds]

    def _given(self, path: Path) -> GivenFile:
        name = path.relative_to(self.root).as_posix()
        kind = self.kinds.get(name) or kind_of(str(path)) or "python"
        info = path.stat()
        return GivenFile(str(path), name, kind, info.st_size, info.st_mtime, rank_of(name))

    def open(self, path: str, limit: int = 1 << 30) -> BinaryIO:
        file = Path(path)
        if not file.is_file():
            raise Unreadable("not a regular file", "不是普通文件", at=path)
        if file.stat().st_size > limit:
            raise Unreadable(f"larger than {limit:,} bytes", f"超过 {limit:,} 字节", at=path)
        return file.open("rb")

    def lines(self, path: str) -> Iterator[tuple[int, str]]:
        data = Path(path).read_bytes()
        text = (gzip.decompress(data) if path.endswith(".gz") else data).decode("utf-8", "replace")
        yield from enumerate(text.splitlines(), 1)

    def scan(self, path: str) -> Scan:
        with self.open(path) as file:
            found: Scan = matcher_of(load()).scan_file(file, Path(path).name)
        return found

    def scan_text(self, text: str, name: str = "-") -> Scan:
        raise NotImplementedError

    def parse(self, path: str) -> Document:
        with self.open(path) as file:
            return parse(file.read(), path)

    def nearest(self, word: str, names: Sequence[str], limit: int = 1) -> list[str]:
        return nearest(word, names, limit)

    def threshold(self, name: str) -> float:
        return self.thresholds[name]

    def cancelled(self) -> bool:
        return False
