"""Of one kill or one message with several causes, none is proven where what was told names another."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.case.collect import collect
from medic.index.knowledge import Index, load
from medic.runner.registry import all_probes
from medic.session.consultation import Session
from medic.session.diagnosis import Diagnosis

CASES = Path(__file__).with_name("cases")
KILL = """one H100 (80G), full-parameter finetuning of Qwen2.5-32B, batch_size 1
exitcode: -9
dmesg: Out of memory: Killed process 4410 (python3) anon-rss:471002312kB
"""


@pytest.fixture(scope="module")
def index() -> Index:
    return load()


def diagnosed(index: Index, text: str) -> Diagnosis:
    probes = [probe for probe in all_probes() if probe.reads == "artefacts"]
    session = Session(index, collect([], text=text, this_host=False, index=index), probes)
    session.look()
    return session.diagnosis()


@pytest.mark.parametrize(
    "case",
    [
        "full-state-gathered-at-save/fires-3",
        "offload-exceeds-host-memory/fires-3",
        "broken-adapter-values/fires-2",
    ],
)
def test_the_general_cause_is_not_proven_against_one_that_was_told(index: Index, case: str) -> None:
    found = diagnosed(index, (CASES / f"{case}.txt").read_text("utf-8"))
    proven = found.verdict == "established"
    assert not proven or found.causes[0].name == case.partition("/")[0]


def test_the_kill_alone_is_proven(index: Index) -> None:
    found = diagnosed(index, KILL)
    assert (found.verdict, found.causes[0].name) == ("established", "host-memory-exhausted")
