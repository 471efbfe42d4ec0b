"""Plain statements of symptoms are understood; what is well stays quiet."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.index.knowledge import load
from medic.match import complaints

INDEX = load()
ROWS = [
    tuple(line.split(" | ", 1))
    for line in Path(__file__).with_name("statements.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
WELL = "-"
# Of the statements of each language as many as were measured.
UNDERSTOOD = {"en": 67, "zh": 68}


def understood(text: str) -> set[str]:
    return {n for match, also in complaints(text, INDEX) for n in (match.name, *also)}


def language(text: str) -> str:
    return "zh" if any("\u3400" <= sign <= "\u9fff" for sign in text) else "en"


def test_each_symptom_has_a_statement() -> None:
    assert {name for name, _ in ROWS} - {WELL} == set(INDEX.symptoms)


@pytest.mark.parametrize("lang", UNDERSTOOD)
def test_statements_are_understood(lang: str) -> None:
    said = [(name, text) for name, text in ROWS if name != WELL and language(text) == lang]
    missed = [text for name, text in said if name not in understood(text)]
    assert len(said) - len(missed) >= UNDERSTOOD[lang], missed


def test_what_is_well_is_no_complaint() -> None:
    assert [text for name, text in ROWS if name == WELL and understood(text)] == []
