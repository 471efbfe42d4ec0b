"""A version that has a cause's fault stands among the evidence, with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medic.commands import main

FAULT = "[rank2]: AttributeError: 'Linear' object has no attribute 'ds_grads_remaining'\n"


def lines(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    """(sentence, quoted line) of the versions in the answer to a log."""
    log = folder / "train.log"
    log.write_text(text)
    main(["diagnose", str(log), "--json", "--lang", "en"])
    evidence = [
        e for cause in json.loads(capsys.readouterr().out)["causes"] for e in cause["evidence"]
    ]
    return [(e["text"], e["source"]["text"]) for e in evidence if e.get("check") == "release"]


def test_the_line_that_states_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = lines(f"- DeepSpeed version: 0.16.5\n{FAULT}", tmp_path, capsys)
    said = "deepspeed 0.16.5 is within ==0.16.5, where this fault is"
    assert told == [(said, "- DeepSpeed version: 0.16.5")]


@pytest.mark.parametrize("first", ["- DeepSpeed version: 0.16.4\n", ""])
def test_no_other_version_is_told(
    first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lines(first + FAULT, tmp_path, capsys) == []
