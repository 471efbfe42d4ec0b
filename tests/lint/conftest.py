"""Lints texts as the command does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from medic.case import collect
from medic.index import load
from medic.lint import LintFinding, lint

INDEX = load()
Lint = Callable[..., tuple[LintFinding, ...]]


@pytest.fixture
def lint_text(tmp_path: Path) -> Lint:
    """``lint_text(text, name)``: the findings of one file; ``more`` are files beside it."""

    def run(
        text: str, name: str = "config.yaml", more: dict[str, str] | None = None
    ) -> tuple[LintFinding, ...]:
        for file, content in {name: text, **(more or {})}.items():
            (tmp_path / file).write_text(content, "utf-8")
        files = [str(tmp_path / file) for file in (name, *(more or {}))]
        return lint(collect(files), INDEX).findings

    return run


@pytest.fixture
def lint_keys(lint_text: Lint) -> Callable[..., list[tuple[str, str]]]:
    """``lint_keys(keys, name, more)``: (check, key at whose line it fires) of ``group.key: value``
    written as YAML, or as TOML if ``name`` ends so. A value None leaves the key out.
    """

    def run(
        keys: Mapping[str, str | None],
        name: str = "config.yaml",
        more: dict[str, str] | None = None,
    ) -> list[tuple[str, str]]:
        lines = written(keys, toml=name.endswith(".toml"))
        text = "".join(f"{line}\n" for line, _ in lines)
        return [(f.name, lines[f.line - 1][1]) for f in lint_text(text, name, more)]

    return run


def written(keys: Mapping[str, str | None], *, toml: bool) -> list[tuple[str, str]]:
    """(line, key that it states); keys of one group stand together, the others first."""
    groups: dict[str, list[tuple[str, str]]] = {"": []}
    for key, value in keys.items():
        group, _, name = key.rpartition(".")
        if value is not None:
            line = f"{name} = {value}" if toml else f"{'  ' * bool(group)}{name}: {value}"
            groups.setdefault(group, []).append((line, key))
    lines = groups.pop("")
    for group, members in groups.items():
        lines += [(f"[{group}]" if toml else f"{group}:", group), *members]
    return lines
