"""What the three probes of the launch make of a few files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from medic.probes.flags.probe import PROBES
from medic.probes.flags.script.files import SourceFiles
from medic.probes.flags.source import read_parser

from medic.facts import Launches, Parsers, ParserSpec
from medic.probe import Finding, Skip, Unread

Files = Mapping[str, str | bytes]


class Seen:
    """The findings, skips and facts of one case."""

    def __init__(self, look: Any) -> None:
        self.look = look
        self.findings: dict[str, Finding] = {}
        self.skips: list[Skip] = []
        self.unread: list[Unread] = []
        for probe in PROBES:
            for item in probe.run(look):
                self._take(item, probe.tells)

    def _take(self, item: Any, tells: tuple[str, ...]) -> None:
        if isinstance(item, Finding):
            assert item.name in tells
            assert item.name not in self.findings
            self.findings[item.name] = item
        elif isinstance(item, Skip):
            self.skips.append(item)
        elif isinstance(item, Unread):
            self.unread.append(item)
        else:
            self.look.facts[type(item)] = item

    def outcome(self, name: str) -> str:
        """The outcome of a check, or "skipped"."""
        found = self.findings.get(name)
        return found.outcome if found else "skipped"

    @property
    def outcomes(self) -> tuple[str, str]:
        """Of misspelt-flag and of boolean-flag-with-value."""
        return self.outcome("misspelt-flag"), self.outcome("boolean-flag-with-value")

    @property
    def misspelt(self) -> Mapping[str, Any]:
        return self.findings["misspelt-flag"].value

    @property
    def switch(self) -> Mapping[str, Any]:
        return self.findings["boolean-flag-with-value"].value

    @property
    def refused(self) -> str:
        return self.outcome("rejected-argument")

    def changes(self, name: str) -> list[tuple[str, Any, Any]]:
        return [(c.field, c.old, c.new) for c in self.findings[name].changes]

    @property
    def launches(self) -> tuple[Any, ...]:
        found = self.look.facts.get(Launches)
        return found.launches if found else ()

    @property
    def parsers(self) -> tuple[ParserSpec, ...]:
        found = self.look.facts.get(Parsers)
        return found.parsers if found else ()


class Flags:
    """Reads cases of a few small files, each call anew."""

    def __init__(self, make: Callable[..., Any], folder: Path) -> None:
        self._make = make
        self._folder = folder

    def look(self, files: Files) -> Any:
        for path in self._folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return self._make(dict(files), frameworks=())

    def see(self, files: Files) -> Seen:
        return Seen(self.look(files))

    def seen(self, look: Any) -> Seen:
        return Seen(look)

    def parser(self, source: str | bytes, files: Files | None = None) -> ParserSpec | None:
        """The parser of train.py; ``files`` are other modules by name."""
        look = self.look({"train.py": source, **(files or {})})
        found = SourceFiles(look, look.files("python"))
        spec: ParserSpec | None = read_parser(found, str(self._folder / "train.py"))
        return spec


@pytest.fixture
def flags(look: Callable[..., Any], tmp_path: Path) -> Flags:
    return Flags(look, tmp_path)
