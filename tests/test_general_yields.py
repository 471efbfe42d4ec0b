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
        pytest.param(
            "offload-exceeds-host-memory/fires-3",
            marks=pytest.mark.xfail(
                reason="the name of a file alone tells of offload", strict=True
            ),
        ),
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


CACHE = "ImportError: cannot import name 'HybridCache' from 'transformers' (/v/lib/python3.12/site-packages/transformers/__init__.py)\n"
PEFT = '  File "/v/lib/python3.12/site-packages/peft/peft_model.py", line 37, in <module>\n'


@pytest.mark.parametrize(
    "versions",
    ["", "- Transformers version: 5.5.0\n- PEFT version: 0.17.1\n"],
)
def test_of_words_that_two_print_the_narrower_is_named(index: Index, versions: str) -> None:
    found = diagnosed(index, versions + PEFT + CACHE)
    assert found.causes[0].name == "peft-older-than-transformers-5"


@pytest.mark.parametrize(
    "text",
    [
        CACHE.replace("HybridCache", "StaticLayer"),
        f"- Transformers version: 5.5.0\n- PEFT version: 0.19.1\n{CACHE}",
    ],
)
def test_the_general_one_stays_where_the_narrower_is_not(index: Index, text: str) -> None:
    assert diagnosed(index, text).causes[0].name == "library-api-moved"


@pytest.mark.parametrize("case", ["flash-attn-gpu-too-old/quiet-1", "triton-not-installed/quiet-1"])
def test_what_a_line_rules_out_is_no_more_than_possible(index: Index, case: str) -> None:
    found = diagnosed(index, (CASES / f"{case}.txt").read_text("utf-8"))
    leader = found.causes[0]
    assert leader.name != case.partition("/")[0] or leader.word == "possible"
