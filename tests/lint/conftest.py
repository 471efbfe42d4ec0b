"""Lints texts as the command does, and tries every fix that it offers for them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from medic.case.collect import collect
from medic.edits import changed
from medic.index.knowledge import load
from medic.lint.files import lint
from medic.lint.found import LintFinding

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

INDEX = load()
# What the rules say whose repair is known, and those that a table states in a form without one:
# the key by its present name stands beside it, or its value is none that has another word.
FIXED = {r.say.en for f in INDEX.frameworks.values() for r in f.rules if r.fix}
NOT_HERE = {
    rule.say.en
    for name, rules in {
        "axolotl": ["max-packed-sequence-len"],
        "hf-trainer": ["adafactor-is-gone", "group-by-length-is-gone"],
        "lightning": [
            "gpus-is-gone",
            "removed-strategy",
            "tpu-cores-is-gone",
            "unknown-precision",
            "weights-summary-is-gone",
        ],
        "megatron": ["old-batch-size"],
    }.items()
    for rule in INDEX.frameworks[name].rules
    if rule.name in rules
}
# Advice on the precision, where an option of the old one stands beside it.
FOLLOWS = {("fp16-overflow", "option-needs-another-option")}
Lint = Callable[..., tuple[LintFinding, ...]]


@pytest.fixture
def lint_text(tmp_path: Path) -> Lint:
    """``lint_text(text, name)``: the findings of one file; ``more`` are files beside it.

    Every fix that is offered is written and undone again: see ``_try``.
    """

    def run(
        text: str, name: str = "config.yaml", more: dict[str, str] | None = None
    ) -> tuple[LintFinding, ...]:
        files = {tmp_path / file: one for file, one in {name: text, **(more or {})}.items()}
        for path, content in files.items():
            path.write_text(content, "utf-8")
        paths = [str(path) for path in files]
        found = lint(collect(paths), INDEX).findings
        for finding in found:
            _try(finding, found, paths)
        return found

    return run


@pytest.fixture
def lint_changed(lint_text: Lint) -> Callable[[str, str, str, str], list[tuple[str, int]]]:
    """``lint_changed(text, name, old, new)``: (check, line) of the text with one part of it new."""

    def run(text: str, name: str, old: str, new: str) -> list[tuple[str, int]]:
        assert old in text
        return [(f.name, f.line) for f in lint_text(text.replace(old, new), name)]

    return run


# --- fixes ----------------------------------------------------------------------------------


def _try(finding: LintFinding, found: tuple[LintFinding, ...], paths: list[str]) -> None:
    """After the fix a second lint does not find this, and nothing else that was not there; what
    the diff does not show reads as before.
    """
    if finding.fix is None or finding.fix.patch is None:
        assert not finding.message.en.startswith(tuple(FIXED - NOT_HERE)), finding.message.en
        return
    patch = finding.fix.patch
    before = {path: Path(path).read_bytes() for path in paths}
    after = {path: changed(path, patch.edits, data) for path, data in before.items()}
    try:
        for path, data in after.items():
            Path(path).write_bytes(data)
        now = lint(collect(paths), INDEX).findings
    finally:
        for path, data in before.items():
            Path(path).write_bytes(data)
    others = [f for f in found if f != finding]
    mended = _told(finding) not in {_told(f) for f in now}
    assert mended or _told(finding) in {_told(f) for f in others}, patch.diff
    known = {_told(f) for f in others}
    # A fault of the old name is still one under the present name.
    follow = {f.name for f in others} | {then for name, then in FOLLOWS if name == finding.name}
    left = [_told(f) for f in now if _told(f) not in known and f.name not in follow]
    assert left == [], f"{finding.name} after its fix:\n{patch.diff}"
    for path in paths:
        _kept(path, before[path], after[path], patch.diff)


def _told(finding: LintFinding) -> tuple[str, str]:
    return finding.name, finding.message.en


def _kept(path: str, before: bytes, after: bytes, diff: str) -> None:
    """Keys that read otherwise now stand in the diff, and so does every comment that is gone."""
    lines = [line[1:] for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in SIGNS]
    shown = "\n".join(lines)
    old, new = (dict(_leaves(_data(path, data))) for data in (before, after))
    for key in old.keys() ^ new.keys() | {k for k in old.keys() & new.keys() if old[k] != new[k]}:
        assert any(step in shown for step in key), f"{key} is another one after\n{diff}"
    comments = {line.strip() for line in before.decode().splitlines() if COMMENT.match(line)}
    assert comments <= {line.strip() for line in after.decode().splitlines()}, diff


SIGNS = ("+++", "---")
COMMENT = re.compile(
    r"\s*#(?! ?S[BACTH]{5}\b|sbatch --|/bin/|!bin/)"
)  # nor one that is meant as such


def _data(path: str, data: bytes) -> Any:
    if path.endswith(".toml"):
        return tomllib.loads(data.decode())
    if path.endswith(".json"):
        return json.loads(data)
    return yaml.load(data, yaml.CSafeLoader) if path.endswith((".yaml", ".yml")) else None


def _leaves(data: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from _leaves(value, (*path, str(key)))
    elif isinstance(data, list) and data:
        for i, value in enumerate(data):
            yield from _leaves(value, (*path, str(i)))
    else:
        yield path, data


# --- keys -----------------------------------------------------------------------------------


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
