"""Every unit of the handbook is carried by entries, or says why it is no knowledge."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from medic.index.knowledge import load

ROOT = Path(__file__).parents[1]
HANDBOOK = ROOT / "knowledge" / "handbook.yaml"
KINDS = ("causes", "symptoms", "checks", "remedies", "procedures", "terms")
REASON = "not-knowledge: "


def listed() -> list[str]:
    lines = (ROOT / "tests" / "handbook_units.tsv").read_text("utf-8").splitlines()[1:]
    return [":".join(line.split("\t")[:2]) for line in lines]


def units() -> dict[str, str | list[str]]:
    found: dict[str, str | list[str]] = yaml.safe_load(HANDBOOK.read_text("utf-8"))["units"]
    return found


def snippets() -> Iterator[tuple[str, str]]:
    index = load()
    for name, remedy in index.remedies.items():
        if remedy.snippet:
            yield name, remedy.snippet
    for name, procedure in index.procedures.items():
        yield from ((f"{name}: {s.name}", s.snippet) for s in procedure.steps if s.snippet)


def test_every_unit_is_mapped_once() -> None:
    assert list(units()) == listed()


def test_no_unit_is_written_twice() -> None:
    lines = HANDBOOK.read_text("utf-8").splitlines()
    keys = [line.split(": ")[0] for line in lines if line.startswith("  ")]
    assert len(keys) == len(set(keys))


def test_the_named_entries_exist() -> None:
    index = load()
    known = {name for kind in KINDS for name in index.raw[kind]}
    named = {name for found in units().values() if isinstance(found, list) for name in found}
    assert named <= known, sorted(named - known)


def test_a_unit_names_one_to_four_entries_or_a_reason() -> None:
    wrong = {
        unit: found
        for unit, found in units().items()
        if not (
            1 <= len(found) <= 4 and len(set(found)) == len(found)
            if isinstance(found, list)
            else found.startswith(REASON) and found.removeprefix(REASON).strip()
        )
    }
    assert not wrong


def test_most_units_are_knowledge() -> None:
    found = list(units().values())
    assert sum(isinstance(f, str) for f in found) <= 0.2 * len(found)


def test_snippets_are_python() -> None:
    broken = []
    for where, snippet in snippets():
        try:
            ast.parse(snippet)
        except SyntaxError as problem:
            broken.append(f"{where}: {problem}")
    assert not broken


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_outcome_of_a_procedure_has_a_title(language: str) -> None:
    bare = [
        f"{name}: {step.name}: {outcome}"
        for name, procedure in load().procedures.items()
        for step in procedure.steps
        for outcome in step.outcomes
        if outcome not in step.titles or not getattr(step.titles[outcome], language).strip()
    ]
    assert not bare


def test_titles_name_outcomes() -> None:
    stray = [
        f"{name}: {step.name}: {outcome}"
        for name, procedure in load().procedures.items()
        for step in procedure.steps
        for outcome in step.titles
        if outcome not in step.outcomes
    ]
    assert not stray


def test_what_an_entry_answers_is_in_the_handbook() -> None:
    documents = {f"{unit.split(':')[0]}.txt" for unit in listed()}
    named = {
        source.handbook
        for cause in load().causes.values()
        for source in (*cause.sources, *(d.instead_of for d in cause.do_not if d.instead_of))
        if source.handbook
    }
    assert named == documents
