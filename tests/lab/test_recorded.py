"""What the laboratory recorded, diagnosed without running anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.evaluate import Labelled, judge
from medic.index.knowledge import Index, load
from tests.lab.fault import faults

RECORDED = Path(__file__).with_name("recorded")
FAULTS = faults()
INDEX: Index = load()


def test_the_laboratory_is_large_and_names_causes_that_there_are() -> None:
    ill = [f for f in FAULTS.values() if f.causes]
    assert len(ill) >= 30
    assert len(FAULTS) - len(ill) >= 10
    assert not {c for f in ill for c in f.causes} - set(INDEX.causes)


def test_every_patch_fits_the_script() -> None:
    script = Path(__file__).with_name("script")
    for fault in FAULTS.values():
        for name, pairs in fault.patch.items():
            text = (script / name).read_text("utf-8")
            for old, new in pairs:
                assert old in text, (fault.name, old)
                text = text.replace(old, new, 1)
            compile(text, name, "exec")


@pytest.mark.parametrize("place", sorted(RECORDED.iterdir()), ids=lambda p: p.name)
def test_a_recorded_run(place: Path) -> None:
    fault = FAULTS[place.name]
    result = judge(Labelled(fault.name, causes=fault.causes, folder=str(place)), INDEX)
    assert result.right, (result.verdict, result.named[:3])
