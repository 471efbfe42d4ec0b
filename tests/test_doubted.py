"""A line that other programs print, too: how the report speaks of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from medic.commands import main

ANSWER = """\
2026-03-01 10:00:00 INFO step 20/400 | loss 2.70 | lr 1.0e-05
yaml.scanner.ScannerError: while scanning a simple key
  in "{name}", line 3, column 1:
    answer
    ^
could not find expected ':'
"""


@pytest.mark.parametrize(("name", "sure"), [("<unicode string>", False), ("train.yaml", True)])
def test_the_words_of_a_link_follow_the_doubt(
    tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str], name: str, sure: bool
) -> None:
    """A model's answer that is no YAML is read with the same parser as a configuration."""
    (tmp_path / "train.log").write_text(ANSWER.format(name=name))
    main(["diagnose", str(tmp_path), "--lang", "en"])
    shown = capsys.readouterr().out
    assert "syntax error" in shown
    assert ("confirms it" in shown) == sure
    assert ("Established" in shown) == sure


def test_a_frame_of_a_collective_tells_no_place_of_a_memory_that_did_not_lack(
    tmp_path: Path, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.log").write_text(
        "step 1/9 loss 2.0\nTraceback (most recent call last):\n"
        '  File "/opt/torch/distributed/distributed_c10d.py", line 2810, in all_reduce\n'
        "    work.wait()\nRuntimeError: Connection closed by peer [10.0.0.7]:41522\n"
    )
    main(["diagnose", str(tmp_path), "--lang", "en"])
    assert "holds the whole card" not in capsys.readouterr().out
