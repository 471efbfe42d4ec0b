"""A case made of log texts, read by the logs probe with the shipped signatures."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from medic.index.knowledge import load
from medic.match import Matcher, iter_lines
from medic.match.matchers import matcher_of
from medic.probe import Finding, Probe, Skip, Unread


def matcher() -> Matcher:
    return matcher_of(load())


@lru_cache(maxsize=1)
def thresholds() -> dict[str, float]:
    return {n: t.value for c in load().checks.values() for n, t in c.thresholds.items()}


class Read:
    """What the logs probe made of the files: facts by type, its findings, and a look for more."""

    def __init__(self, look: Any, made: list[Any]) -> None:
        self.look = look
        self.skips = [m for m in made if isinstance(m, Skip)]
        self.unread = [m for m in made if isinstance(m, Unread)]
        self.findings = {m.name: m for m in made if isinstance(m, Finding)}
        self.facts = {type(m): m for m in made if not isinstance(m, (Finding, Skip))}
        look.facts.update(self.facts)

    def __getitem__(self, kind: type[Any]) -> Any:
        return self.facts[kind]

    def __contains__(self, kind: type[Any]) -> bool:
        return kind in self.facts

    def ask(self, probe: Probe) -> dict[str, Finding]:
        """The findings of another probe over the same case; its names are checked."""
        checks, symptoms = load().checks, load().symptoms
        found = {}
        for item in probe.run(self.look):
            if isinstance(item, Finding):
                assert item.name in probe.tells
                if item.name in checks:
                    assert item.outcome in checks[item.name].outcomes
                else:
                    assert item.name in symptoms
                found[item.name] = item
        return found


@pytest.fixture
def read(look: Callable[..., Any]) -> Callable[..., Read]:
    """``read({"train.log": text}, facts=[...])`` runs the logs probe over these files."""
    from medic.probes.logs.logs import PROBE

    def run(files: dict[str, str | bytes] | str, **more: Any) -> Read:
        files = {"train.log": files} if isinstance(files, str) else files
        seen = look(files, thresholds=thresholds(), **more)
        names = {str(seen.root / name): name for name in files}

        def scan(path: str) -> Any:
            with Path(path).open("rb") as file:
                return matcher().scan_file(file, names[path])

        def lines(path: str) -> Iterator[tuple[int, str]]:
            yield from iter_lines(io.BytesIO(Path(path).read_bytes()), path)

        def scan_text(text: str, name: str = "-") -> Any:
            return matcher().scan_file(io.BytesIO(text.encode()), name)

        seen.scan, seen.lines, seen.scan_text = scan, lines, scan_text
        return Read(seen, list(PROBE.run(seen)))

    return run
