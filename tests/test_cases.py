"""Every cause has run folders that must be diagnosed as it, and others that must not."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from medic.case import collect
from medic.diagnosis import Diagnosis
from medic.index import Index, load
from medic.session import Session

CASES = Path(__file__).with_name("cases")
INDEX: Index = load()
FOLDERS = sorted(f for f in CASES.glob("*/*") if f.is_dir())


@cache
def diagnosis(folder: Path) -> Diagnosis:
    """The folder as a user gives it; said.txt holds what the user types beside it."""
    said = folder / "said.txt"
    session = Session(INDEX, collect([str(folder)], this_host=False))
    session.look()
    if said.exists():
        session.complain(said.read_text("utf-8"))
    return session.diagnosis()


@pytest.mark.parametrize("cause", list(INDEX.causes))
def test_every_cause_has_cases(cause: str) -> None:
    kinds = {f.name.partition("-")[0] for f in FOLDERS if f.parent.name == cause}
    assert kinds == {"fires", "quiet"}


def test_no_cases_of_unknown_causes() -> None:
    assert {f.parent.name for f in FOLDERS} <= set(INDEX.causes)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_case(folder: Path) -> None:
    found = diagnosis(folder)
    cause = folder.parent.name
    leader = found.causes[0].name if found.causes else ""
    assert not found.failed
    assert found.read
    if folder.name.startswith("fires"):
        assert leader == cause
    else:
        assert leader != cause
        assert cause not in [c.name for c in found.also_wrong]
