"""Words that complain of something that is not made out are no clean bill, whatever form is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medic.commands import main


@pytest.mark.parametrize(
    ("words", "verdict", "code"),
    [
        ("the frobnicator of our nightly job coughs badly, help", "unclear", 1),
        ("everything trains fine, the loss falls as expected", "no-fault-seen", 0),
    ],
)
def test_the_json_says_what_the_text_says(
    words: str, verdict: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.txt").write_text(words, "utf-8")
    assert main(["diagnose", str(tmp_path / "report.txt"), "--json", "--lang", "en"]) == code
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == verdict
    assert bool(told["may_mean"]) is (verdict == "unclear")
    assert told["causes"] == []
