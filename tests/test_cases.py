"""The project's own corpus: every cause has cases, and they are diagnosed about as often as told.

The cases were written by others than the entries. Those that medic misses stay in the corpus and
count; the floors are a little under what was measured.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, Score, evaluate, read_cases
from medic.index.knowledge import Index, load

CASES = Path(__file__).with_name("cases")
INDEX: Index = load()
ALL = read_cases(CASES, INDEX)
LINT_TESTS = "".join(
    file.read_text("utf-8") for file in sorted(Path(__file__).with_name("lint").glob("*.py"))
)
FOLDERS = [c for c in ALL if c.folder and not c.healthy]
TEXTS = [c for c in ALL if not c.folder or c.healthy]
PARTS = 8


def part(number: int) -> list[Labelled]:
    """Every eighth text: the parts are alike, and run side by side."""
    return [case for i, case in enumerate(TEXTS) if i % PARTS == number]


def test_every_cause_has_cases() -> None:
    kinds: dict[str, set[str]] = {cause: set() for cause in INDEX.causes}
    for case in ALL:
        *_, cause, name = ("", *case.id.split("/"))
        if cause in kinds:
            kinds[cause].add(name.partition("-")[0])
    linted = {  # their cases are the mutations of their checks
        cause
        for cause, found in kinds.items()
        if not found and INDEX.causes[cause].lint is not None and f'"{cause}"' in LINT_TESTS
    }
    without = [c for c, found in kinds.items() if found != {"fires", "quiet"}]
    assert [c for c in without if c not in linted] == []


def test_the_corpus_is_large_and_of_both_languages() -> None:
    assert sum(bool(c.causes) for c in ALL) >= 400
    assert sum(bool(c.never) or c.healthy for c in ALL) >= 60
    assert sum(c.healthy for c in ALL) >= 40
    assert sum(c.lang == "zh" for c in ALL) >= 0.15 * len(ALL)


@pytest.mark.parametrize("number", range(PARTS))
def test_the_corpus_is_diagnosed(number: int) -> None:
    score: Score = evaluate(part(number), INDEX)
    row = score.all
    misses = [f"{m.case.id}: {m.verdict} {m.named[:3]}" for m in score.misses]
    assert row.top1 >= FIRST * row.cases, misses
    assert row.top3 >= THREE * row.cases, misses
    assert row.established_wrong <= WRONG * row.cases, misses
    assert score.quiet_wrong <= QUIET * score.quiet, misses
    assert score.alarmed <= 3, misses


# Floors of one part, which holds two hundred cases.
FIRST, THREE, WRONG, QUIET = 0.86, 0.92, 0.03, 0.31


@pytest.mark.parametrize("case", FOLDERS, ids=lambda c: c.id)
def test_a_run_folder_is_diagnosed(case: Labelled) -> None:
    """Whole runs, which medic has more of to read than a text."""
    score = evaluate([case], INDEX)
    assert score.misses == []
